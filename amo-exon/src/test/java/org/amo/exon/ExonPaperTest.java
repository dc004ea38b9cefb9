package org.amo.exon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.amo.base.wire.Seal;
import org.amo.base.wire.WireReader;
import org.amo.exon.Frame.Ack;
import org.amo.exon.Frame.RequestSlots;
import org.amo.exon.Frame.Slots;
import org.amo.exon.Frame.Token;
import org.junit.jupiter.api.Test;

/** Sentences of the paper by Kassam, Almeida and Shoker, one by one. Datagrams move only when a test says so. */
class ExonPaperTest {
    private static final NodeId C = new NodeId(2, 3);

    private final Map<Long, Outcome> outcomes = new HashMap<>();
    private final Rig a = new Rig(new NodeId(2, 1));
    private final Rig b = new Rig(new NodeId(2, 2));
    private long now = 1_000;
    private long number;

    private record At(NodeId node) implements Address {}

    private record Flying(NodeId to, byte[] bytes) {
        List<Frame> frames() {
            WireReader reader = new WireReader("test", bytes, 0, bytes.length - Seal.BYTES);
            boolean named = ExonCodec.readHeader(reader).named();
            return ExonCodec.readFrames(reader, named ? Numbers.PLAIN : new Numbers(1, 1));
        }

        boolean has(Class<? extends Frame> kind) {
            return frames().stream().anyMatch(kind::isInstance);
        }
    }

    private final class Rig implements ExonEffects {
        final NodeId id;
        final ExonNode node;
        final List<Flying> out = new ArrayList<>();
        final List<Byte> got = new ArrayList<>();

        Rig(NodeId id) {
            this.id = id;
            ExonOptions options = ExonOptions.builder()
                    .standbySlots(4, 4)
                    .idleMicros(1_000_000)
                    .build();
            node = new AtReceiptNode(id, 1, 1 << 20, new byte[] {5}, options, this);
        }

        @Override
        public void transmit(Address to, byte[] datagram) {
            out.add(new Flying(((At) to).node(), datagram));
        }

        @Override
        public void deliver(MessageName delivery, byte[] message) {
            got.add(message[0]);
        }

        @Override
        public void completed(long message, Outcome outcome) {
            outcomes.put(message, outcome);
        }

        @Override
        public void reserveClock(long bound) {}

        List<Flying> take() {
            List<Flying> taken = List.copyOf(out);
            out.clear();
            return taken;
        }

        void receive(Rig from, Flying datagram) {
            node.onDatagram(new At(from.id), datagram.bytes, datagram.bytes.length, now);
            node.flush(now);
        }

        void tickAt(long micros) {
            now = Math.max(now, micros);
            node.onTick(now);
        }
    }

    private long send(Rig from, NodeId to, long deadline) {
        from.node.hint(to, new At(to));
        assertTrue(from.node.send(to, ++number, new byte[] {(byte) number}, deadline, now));
        from.node.flush(now);
        return number;
    }

    private long send(long deadline) {
        return send(a, b.id, deadline);
    }

    /** Carries everything between a and b until nothing moves; datagrams to others are lost. */
    private void settle() {
        for (int i = 0; i < 100; i++) {
            now += 500;
            List<Flying> there = a.take();
            List<Flying> back = b.take();
            there.stream().filter(each -> each.to.equals(b.id)).forEach(each -> b.receive(a, each));
            back.forEach(each -> a.receive(b, each));
            a.tickAt(now);
            b.tickAt(now);
        }
    }

    /** Section III.B: "it sends a REQSLOTS message to j", "creates a slot", "sends a token", "sends an acknowledgment". */
    @Test
    void theFirstMessageTakesFourSteps() {
        long message = send(Long.MAX_VALUE / 4);
        List<Flying> first = a.take();
        assertEquals(1, first.size());
        assertTrue(
                first.get(0).has(RequestSlots.class) && !first.get(0).has(Token.class),
                "nothing is sent without a slot");
        b.receive(a, first.get(0));
        List<Flying> second = b.take();
        assertTrue(second.get(0).has(Slots.class));
        a.receive(b, second.get(0));
        List<Flying> third = a.take();
        assertTrue(third.get(0).has(Token.class));
        assertEquals(List.of(), b.got);
        b.receive(a, third.get(0));
        assertEquals(1, b.got.size());
        b.tickAt(now + Path.ACK_DELAY);
        List<Flying> fourth = b.take();
        assertTrue(fourth.stream().anyMatch(each -> each.has(Ack.class)));
        fourth.forEach(each -> a.receive(b, each));
        assertEquals(Outcome.DELIVERED, outcomes.get(message));
    }

    /** Row E8. "then just one RTT": with envelopes in reserve a token leaves at once. */
    @Test
    void laterMessagesTakeOneRoundTripAndFewRequests() {
        send(Long.MAX_VALUE / 4);
        settle();
        int requests = 0;
        for (int i = 0; i < 20; i++) {
            send(Long.MAX_VALUE / 4);
            List<Flying> out = a.take();
            assertTrue(out.get(0).has(Token.class), "message " + i + " leaves at once");
            requests += (int)
                    out.stream().filter(each -> each.has(RequestSlots.class)).count();
            out.forEach(each -> b.receive(a, each));
            settle();
        }
        assertEquals(21, b.got.size());
        assertTrue(requests > 0 && requests <= 10, requests + " requests rode on 20 tokens");
    }

    /** Row E4: "each message is delivered independently". */
    @Test
    void aDelayedTokenIsOvertaken() {
        send(Long.MAX_VALUE / 4);
        settle();
        send(Long.MAX_VALUE / 4);
        List<Flying> held = a.take();
        send(Long.MAX_VALUE / 4);
        a.take().forEach(each -> b.receive(a, each));
        assertEquals(List.of((byte) 1, (byte) 3), b.got);
        held.forEach(each -> b.receive(a, each));
        assertEquals(List.of((byte) 1, (byte) 3, (byte) 2), b.got);
    }

    /** Row E13: "If the incarnation is deleted ... a new rck' > rck is assigned": what is old has no effect. */
    @Test
    void oldDatagramsHaveNoEffectAfterTheRecordsAreGone() {
        List<Flying> recorded = new ArrayList<>();
        send(Long.MAX_VALUE / 4);
        for (int i = 0; i < 20; i++) {
            now += 1_000;
            List<Flying> there = a.take();
            recorded.addAll(there);
            there.forEach(each -> b.receive(a, each));
            b.tickAt(now);
            b.take().forEach(each -> a.receive(b, each));
        }
        a.tickAt(now + 1_100_000);
        settle();
        assertEquals(0, a.node.counters().peers());
        assertEquals(0, b.node.counters().peers());
        recorded.forEach(each -> b.receive(a, each));
        assertEquals(List.of((byte) 1), b.got);
        for (int i = 0; i < 10; i++) {
            b.tickAt(b.node.nextDeadline() == Long.MAX_VALUE ? now : b.node.nextDeadline());
            settle();
        }
        assertEquals(0, b.node.counters().peers(), "a replay leaves nothing");
    }

    /** Row E9: the sender gives a message up; its slot goes with the next request. */
    @Test
    void theFrontierFreesSlotsThatWereWaived() {
        send(Long.MAX_VALUE / 4);
        settle();
        int before = b.node.counters().mostSlotsOfARecord();
        for (int i = 0; i < 3; i++) {
            long lost = send(now + 1_000);
            a.take();
            a.tickAt(now + 2_000);
            assertEquals(Outcome.UNKNOWN, outcomes.get(lost), "it left, so nobody knows");
            a.take();
        }
        for (int i = 0; i < 4; i++) {
            send(Long.MAX_VALUE / 4);
            settle();
        }
        assertTrue(
                b.node.counters().mostSlotsOfARecord() <= before,
                "slots " + b.node.counters().mostSlotsOfARecord());
        assertEquals(5, b.got.size());
    }

    /** Row E16: "Exon is not blocking if a node is communicating with many nodes". */
    @Test
    void aDeadPeerDoesNotHoldOthersBack() {
        for (int i = 0; i < 50; i++) {
            send(a, C, Long.MAX_VALUE / 4);
        }
        long message = send(Long.MAX_VALUE / 4);
        settle();
        assertEquals(Outcome.DELIVERED, outcomes.get(message));
        assertFalse(outcomes.containsKey(1L));
    }

    /** Without a good seal there is no state, and no answer. */
    @Test
    void aForgedDatagramLeavesNoTrace() {
        send(Long.MAX_VALUE / 4);
        byte[] forged = a.take().get(0).bytes.clone();
        for (int i = 0; i < forged.length; i++) {
            forged[i] ^= 1;
            b.receive(a, new Flying(b.id, forged));
            forged[i] ^= 1;
        }
        assertEquals(0, b.node.counters().peers());
        assertEquals(List.of(), b.take());
        assertTrue(b.node.counters().unauthentic() + b.node.counters().malformed() >= forged.length);
    }
}
