package org.amo.exon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.amo.base.wire.Seal;
import org.junit.jupiter.api.Test;

/** A node among others: limits of what it takes, crashes of its peers, room at the receiver, the bound of its clock. */
class ExonNodeTest {
    private static final long NEVER = Long.MAX_VALUE / 4;
    private static final NodeId A = new NodeId(6, 1);
    private static final NodeId B = new NodeId(6, 2);

    private final List<byte[]> toA = new ArrayList<>();
    private final List<byte[]> toB = new ArrayList<>();
    private final RecordedEffects effects =
            new RecordedEffects((to, datagram) -> (to.equals(new At(A)) ? toA : toB).add(datagram));
    private final Map<Long, Outcome> outcomes = effects.outcomes;
    private final List<Integer> delivered = effects.delivered;
    private final List<Long> bounds = effects.bounds;
    private long now = 1_000;
    private ExonNode a = node(A, 1, 1 << 20, options());
    private ExonNode b = node(B, 1, 1 << 20, options());

    private record At(NodeId node) implements Address {}

    private static ExonOptions.Builder options() {
        return ExonOptions.builder()
                .maxMessageBytes(4_000)
                .maxQueuedBytes(4_100)
                .idleMicros(60_000_000);
    }

    private ExonNode node(NodeId id, long incarnation, long reserved, ExonOptions.Builder options) {
        ExonNode node = new AtReceiptNode(id, incarnation, reserved, new byte[] {5}, options.build(), effects);
        node.hint(id.equals(A) ? B : A, new At(id.equals(A) ? B : A));
        return node;
    }

    private boolean send(long number, int bytes) {
        return a.send(B, number, new byte[bytes], NEVER, now);
    }

    private void hear(ExonNode node, NodeId from, List<byte[]> arrived) {
        List<byte[]> all = List.copyOf(arrived);
        arrived.clear();
        for (byte[] datagram : all) {
            node.onDatagram(new At(from), datagram, datagram.length, now);
        }
    }

    private void step() {
        now += 500;
        a.onTick(now);
        hear(b, A, toB);
        b.onTick(now);
        hear(a, B, toA);
        a.flush(now);
        b.flush(now);
    }

    private void settle() {
        for (int i = 0; i < 200; i++) {
            step();
        }
    }

    @Test
    void aMessageIsTakenUpToItsLimitAndNotToTheNodeItself() {
        assertTrue(send(1, 4_000));
        assertThrows(IllegalArgumentException.class, () -> send(2, 4_001));
        assertThrows(IllegalArgumentException.class, () -> a.send(A, 2, new byte[1], NEVER, now));
        settle();
        assertEquals(Map.of(1L, Outcome.DELIVERED), outcomes);
        assertEquals(List.of(4_000), delivered);
    }

    @Test
    void noMoreBytesWaitForANodeThanMay() {
        assertTrue(send(1, 4_000));
        assertFalse(send(2, 101));
        assertTrue(send(2, 100));
        assertFalse(send(3, 1));
        settle();
        assertTrue(send(3, 4_000), "what was delivered made room");
    }

    /** Silent nodes, each below its own limit, must not fill the memory together; empty messages take some, too. */
    @Test
    void noMoreBytesWaitForAllNodesThanMay() {
        int overhead = OutgoingMessage.OVERHEAD;
        a = node(A, 1, 1 << 20, options().maxQueuedBytesInAll(8_000 + 3L * overhead));
        NodeId silent = new NodeId(6, 3);
        NodeId other = new NodeId(6, 4);
        assertTrue(a.send(silent, 1, new byte[4_000], now + 50_000, now));
        assertTrue(send(2, 4_000));
        assertFalse(a.send(other, 3, new byte[1], NEVER, now));
        assertTrue(a.send(other, 3, new byte[0], now + 50_000, now));
        assertFalse(a.send(other, 4, new byte[0], NEVER, now));
        settle();
        assertEquals(Map.of(1L, Outcome.NOT_SENT, 2L, Outcome.DELIVERED, 3L, Outcome.NOT_SENT), outcomes);
        for (long number = 10; number < 12; number++) {
            assertTrue(
                    a.send(number == 10 ? silent : other, number, new byte[4_000], NEVER, now), "all room came back");
        }
        assertFalse(send(12, overhead), "but no more than there was");
    }

    /** A receiver that starts anew: what had left for it is UNKNOWN and not delivered by its next life; the rest is. */
    @Test
    void whatHadLeftForACrashedReceiverIsUnknownAndNeverDelivered() {
        send(1, 10);
        settle();
        assertEquals(1, delivered.size());
        send(2, 20);
        a.flush(now);
        assertFalse(toB.isEmpty(), "it left at once");
        toB.clear();
        b = node(B, 1 << 20, 1 << 21, options());
        b.send(A, 77, new byte[1], NEVER, now);
        b.flush(now);
        settle();
        assertEquals(Outcome.UNKNOWN, outcomes.get(2L));
        assertFalse(delivered.contains(20));
        send(3, 30);
        settle();
        assertEquals(Outcome.DELIVERED, outcomes.get(3L));
        assertTrue(delivered.contains(30));
    }

    @Test
    void aReceiverThatForgotALifeTellsSoWhenATokenOfItComes() {
        send(1, 10);
        settle();
        send(2, 20);
        a.flush(now);
        b = node(B, 1 << 20, 1 << 21, options());
        for (int i = 0; i < 20_000 && !outcomes.containsKey(2L); i++) {
            step();
        }
        assertEquals(Outcome.UNKNOWN, outcomes.get(2L));
        assertEquals(List.of(10), delivered);
    }

    /** A datagram of a former life is none any more. */
    @Test
    void aDatagramOfAFormerLifeIsDropped() {
        send(1, 10);
        a.flush(now);
        List<byte[]> former = List.copyOf(toB);
        settle();
        a = node(A, 1 << 20, 1 << 21, options());
        send(2, 20);
        settle();
        assertEquals(Outcome.DELIVERED, outcomes.get(2L));
        toB.addAll(former);
        hear(b, A, toB);
        assertEquals(former.size(), b.counters().formerLife());
        assertEquals(List.of(10, 20), delivered);
    }

    /** The acknowledgement was lost: the token comes again, is not delivered again, and is acknowledged again. */
    @Test
    void aTokenThatComesAgainIsAcknowledgedAndNotDelivered() {
        send(1, 10);
        settle();
        send(2, 20);
        a.flush(now);
        List<byte[]> tokens = List.copyOf(toB);
        hear(b, A, toB);
        b.onTick(now + 5_000);
        toA.clear();
        toB.addAll(tokens);
        hear(b, A, toB);
        assertEquals(1, b.counters().repeated());
        b.flush(now);
        assertFalse(toA.isEmpty(), "at once");
        hear(a, B, toA);
        assertEquals(Outcome.DELIVERED, outcomes.get(2L));
        assertEquals(List.of(10, 20), delivered);
        assertEquals(2, b.counters().delivered());
    }

    /** What the application has not taken counts against the room. */
    @Test
    void aReceiverThatTakesNothingGrantsNoMoreUntilItDoes() {
        b = node(B, 1, 1 << 20, options().standbySlots(1, 4).maxSlots(8, 8));
        for (int i = 1; i <= 12; i++) {
            send(i, 10);
        }
        settle();
        assertEquals(8, delivered.size());
        assertEquals(8, b.counters().heldUnits());
        assertTrue(b.wantsRoom());
        b.onTaken(2, now);
        b.flush(now);
        settle();
        assertEquals(10, delivered.size());
        b.onTaken(8, now);
        b.flush(now);
        settle();
        assertEquals(12, delivered.size());
    }

    /** No number is used before its bound is on disk; when it is, messages that waited for it leave. */
    @Test
    void messagesWaitForTheBoundOfTheClock() {
        a = node(A, 1, 5, options().clockRange(4));
        for (int i = 1; i <= 8; i++) {
            send(i, 10);
        }
        settle();
        assertEquals(4, delivered.size(), "slots 1 to 4");
        assertFalse(bounds.isEmpty(), "a higher bound is asked for");
        assertTrue(bounds.get(0) > 5);
        a.onClockReserved(1_000, now);
        a.flush(now);
        settle();
        assertEquals(8, delivered.size());
    }

    /** Its closing request can go nowhere; each such id would stay in memory. */
    @Test
    void aNodeWithoutAnAddressIsForgotten() {
        assertTrue(a.send(new NodeId(6, 9), 1, new byte[1], now + 50_000, now));
        a.flush(now);
        for (int i = 0; i < 1_000 && a.nextDeadline() != Long.MAX_VALUE; i++) {
            now = a.nextDeadline();
            a.onTick(now);
        }
        assertEquals(Map.of(1L, Outcome.NOT_SENT), outcomes);
        assertEquals(0, a.counters().peers());
    }

    @Test
    void aDatagramWithoutASealIsMalformed() {
        a.onDatagram(new At(B), new byte[Seal.BYTES], Seal.BYTES, now);
        assertEquals(1, a.counters().malformed());
        assertEquals(0, a.counters().peers());
    }

    @Test
    void countersTellOfBothHalves() {
        send(1, 10);
        settle();
        assertEquals(1, a.counters().sendRecords());
        assertEquals(0, a.counters().receiveRecords());
        assertEquals(1, a.counters().peers());
        assertEquals(0, b.counters().sendRecords());
        assertEquals(1, b.counters().receiveRecords());
        assertEquals(1, b.counters().heldUnits());
        assertEquals(b.counters().openSlots(), b.counters().mostSlotsOfARecord());
        assertTrue(b.counters().openSlots() > 0);
        assertTrue(a.nextDeadline() > now && a.nextDeadline() < Long.MAX_VALUE);
        assertEquals(Long.MAX_VALUE, node(new NodeId(6, 3), 1, 5, options()).nextDeadline());
    }
}
