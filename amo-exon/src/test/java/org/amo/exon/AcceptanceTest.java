package org.amo.exon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** A message is acknowledged when its shell accepts it, neither before nor twice, and its sender hears of it over any loss. */
class AcceptanceTest {
    private static final long NEVER = Long.MAX_VALUE / 4;
    private static final int PER_RECORD = 8;

    private final Map<Long, Outcome> outcomes = new TreeMap<>();
    private final List<MessageName> delivered = new ArrayList<>();
    private final List<byte[]> flying = new ArrayList<>();
    private Side sender = new Side(1, 1_001);
    private final Side receiver = new Side(2, 2_001);
    private long now = 1;
    private boolean losesAnswers;

    private record At(long node) implements Address {}

    private final class Side implements ExonEffects {
        private final NodeId id;
        private final ExonNode node;

        Side(long index, long incarnation) {
            id = new NodeId(6, index);
            ExonOptions options = ExonOptions.builder()
                    .standbySlots(2, 4)
                    .maxSlots(PER_RECORD, 16)
                    .maxMessageBytes(5_000)
                    .idleMicros(1_000_000)
                    .build();
            node = new ExonNode(id, incarnation, 1 << 20, new byte[] {5}, options, this);
        }

        @Override
        public void transmit(Address to, byte[] datagram) {
            if (!(losesAnswers && this == receiver)) {
                flying.add(datagram);
            }
        }

        @Override
        public void deliver(MessageName delivery, byte[] message) {
            delivered.add(delivery);
        }

        @Override
        public void completed(long message, Outcome outcome) {
            assertEquals(null, outcomes.put(message, outcome), "told twice");
        }

        @Override
        public void reserveClock(long bound) {}
    }

    private void send(long number, int bytes) {
        sender.node.hint(receiver.id, new At(2));
        assertTrue(sender.node.send(receiver.id, number, new byte[bytes], NEVER, now));
        sender.node.flush(now);
    }

    private void passes(long micros) {
        for (long end = now + micros; now < end; now += 500) {
            List<byte[]> arriving = new ArrayList<>(flying);
            flying.clear();
            for (byte[] datagram : arriving) {
                sender.node.onDatagram(new At(2), datagram, datagram.length, now);
                receiver.node.onDatagram(new At(1), datagram, datagram.length, now);
            }
            sender.node.onTick(now);
            receiver.node.onTick(now);
            sender.node.flush(now);
            receiver.node.flush(now);
        }
    }

    private void accept(MessageName delivery) {
        receiver.node.onAccepted(delivery, now);
        receiver.node.onTaken(delivery.units(), now);
        receiver.node.flush(now);
    }

    @Test
    void aMessageHasNoOutcomeUntilItIsAccepted() {
        send(1, 10);
        passes(5_000_000);
        assertEquals(1, delivered.size());
        assertEquals(Map.of(), outcomes);
        accept(delivered.get(0));
        passes(20_000);
        assertEquals(Map.of(1L, Outcome.DELIVERED), outcomes);
        assertEquals(1, delivered.size(), "it came again");
        accept(delivered.get(0));
    }

    /** A sender that knows that a token came does not send it again, but now and then, to ask. */
    @Test
    void whileItWaitsTheSenderAsksRarely() {
        send(1, 1_000);
        passes(1_000_000);
        long before = receiver.node.counters().repeated();
        passes(9_000_000);
        long asked = receiver.node.counters().repeated() - before;
        assertTrue(asked >= 5 && asked <= 20, asked + " times in 9 s");
    }

    @Test
    void aLostAcknowledgementIsAskedFor() {
        send(1, 10);
        send(2, 10);
        passes(100_000);
        losesAnswers = true;
        delivered.forEach(this::accept);
        passes(200_000);
        assertEquals(Map.of(), outcomes);
        losesAnswers = false;
        passes(3_000_000);
        assertEquals(Map.of(1L, Outcome.DELIVERED, 2L, Outcome.DELIVERED), outcomes);
    }

    /** Of a message in pieces the last alone waits. */
    @Test
    void aMessageInPiecesIsAcceptedAsAWhole() {
        send(1, 5_000);
        passes(200_000);
        assertEquals(4, delivered.get(0).units());
        assertEquals(Map.of(), outcomes);
        accept(delivered.get(0));
        passes(20_000);
        assertEquals(Map.of(1L, Outcome.DELIVERED), outcomes);
    }

    @Test
    void theSenderOfARefusedMessageHearsUnknownAtOnceOverAnyLoss() {
        send(1, 10);
        send(2, 10);
        passes(100_000);
        receiver.node.onRefused(delivered.get(0), now);
        receiver.node.onTaken(1, now);
        receiver.node.flush(now);
        passes(20_000);
        assertEquals(Map.of(1L, Outcome.UNKNOWN), outcomes);
        losesAnswers = true;
        receiver.node.onRefused(delivered.get(1), now);
        receiver.node.onTaken(1, now);
        receiver.node.flush(now);
        passes(100_000);
        losesAnswers = false;
        passes(3_000_000);
        assertEquals(Map.of(1L, Outcome.UNKNOWN, 2L, Outcome.UNKNOWN), outcomes);
        passes(60_000_000);
        assertEquals(0, receiver.node.counters().peers(), "nothing is remembered");
        assertEquals(2, delivered.size());
    }

    /** The record that would answer for it is there as long as it waits. */
    @Test
    void aWaitingMessageOutlivesIdleTimeAndIsAcceptedAfterIt() {
        send(1, 10);
        passes(30_000_000);
        assertEquals(1, receiver.node.counters().receiveRecords());
        accept(delivered.get(0));
        passes(60_000_000);
        assertEquals(Map.of(1L, Outcome.DELIVERED), outcomes);
        assertEquals(
                0, receiver.node.counters().peers() + sender.node.counters().peers());
    }

    /** Messages that wait count against their sender's room, whatever room the node has. */
    @Test
    void aSenderWhoseMessagesWaitIsHeldBackAndGoesOn() {
        for (int i = 1; i <= 30; i++) {
            send(i, 10);
        }
        passes(1_000_000);
        assertEquals(PER_RECORD, delivered.size());
        for (int i = 0; i < 30; i++) {
            int next = i;
            assertTrue(delivered.size() > next, "stands still after " + next);
            accept(delivered.get(next));
            passes(50_000);
            assertTrue(delivered.size() <= next + 1 + PER_RECORD);
        }
        passes(1_000_000);
        assertEquals(30, outcomes.size());
        assertTrue(outcomes.values().stream().allMatch(outcome -> outcome == Outcome.DELIVERED));
    }

    /** An inbox accepts what is on disk, and its room comes back later. */
    @Test
    void anAcceptedMessageMakesRoomForItsSenderBeforeItIsTaken() {
        for (int i = 1; i <= 12; i++) {
            send(i, 10);
        }
        passes(1_000_000);
        assertEquals(PER_RECORD, delivered.size());
        for (MessageName delivery : List.copyOf(delivered)) {
            receiver.node.onAccepted(delivery, now);
        }
        receiver.node.flush(now);
        passes(2_000);
        assertEquals(12, delivered.size());
    }

    /** The sender's clock was lost and set back by one: its next life uses a slot again, under another incarnation of the record. */
    @Test
    void wordOnAMessageOfAFormerLifeIsIgnored() {
        send(1, 10);
        send(2, 10);
        passes(100_000);
        sender = new Side(1, 1_002);
        send(3, 10);
        passes(100_000);
        assertEquals(3, delivered.size());
        assertEquals(delivered.get(1).slot(), delivered.get(2).slot());
        accept(delivered.get(0));
        accept(delivered.get(1));
        passes(100_000);
        assertEquals(Map.of(), outcomes);
        accept(delivered.get(2));
        passes(100_000);
        assertEquals(Map.of(3L, Outcome.DELIVERED), outcomes);
        assertEquals(0, receiver.node.counters().heldUnits());
    }
}
