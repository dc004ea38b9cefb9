package org.amo.exon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Senders that are gone do not keep the receiver's room from those that live; and nothing is delivered twice for it. */
class ReclaimedRoomTest {
    private static final long SECOND = 1_000_000;
    private static final long STEP = 10_000;
    private static final long NEVER = Long.MAX_VALUE / 4;

    private final Side receiver = new Side(0);
    private final Side first = new Side(1);
    private final Side second = new Side(2);
    private final Side third = new Side(3);
    private final List<Side> sides = List.of(receiver, first, second, third);
    private long now = SECOND;

    private record At(int side) implements Address {}

    /** A node, the datagrams on their way to it, and all that it ever sent. */
    private final class Side implements ExonEffects {
        final int index;
        final NodeId id;
        final ExonNode node;
        final ArrayDeque<byte[]> arriving = new ArrayDeque<>();
        final ArrayDeque<Integer> from = new ArrayDeque<>();
        final List<byte[]> sent = new ArrayList<>();
        final Map<Long, Outcome> outcomes = new TreeMap<>();
        boolean gone;
        int delivered;
        int taken;

        Side(int index) {
            this.index = index;
            id = new NodeId(4, index);
            ExonOptions options = ExonOptions.builder()
                    .standbySlots(16, 64)
                    .maxSlots(32, 64)
                    .maxMessageBytes(10_000)
                    .build();
            node = new AtReceiptNode(id, 1 + index * 1_000, 1 << 20, new byte[] {5}, options, this);
        }

        @Override
        public void transmit(Address to, byte[] datagram) {
            sent.add(datagram);
            Side other = sides.get(((At) to).side);
            other.arriving.add(datagram);
            other.from.add(index);
        }

        @Override
        public void deliver(MessageName delivery, byte[] message) {
            delivered++;
            taken += delivery.units();
        }

        @Override
        public void completed(long message, Outcome outcome) {
            assertEquals(null, outcomes.put(message, outcome), "told twice");
        }

        @Override
        public void reserveClock(long bound) {}

        void send(long number, int bytes) {
            assertTrue(node.send(receiver.id, number, new byte[bytes], NEVER, now));
            node.flush(now);
        }

        void run() {
            while (!arriving.isEmpty()) {
                byte[] datagram = arriving.remove();
                int sender = from.remove();
                if (!gone) {
                    node.onDatagram(new At(sender), datagram, datagram.length, now);
                }
            }
            if (!gone) {
                node.onTaken(taken, now);
                taken = 0;
                node.onTick(now);
            }
        }
    }

    private void passes(long micros) {
        for (long end = now + micros; now < end; now += STEP) {
            sides.forEach(Side::run);
        }
    }

    private void replay(List<byte[]> datagrams, Side of) {
        for (byte[] datagram : datagrams) {
            receiver.arriving.add(datagram);
            receiver.from.add(of.index);
        }
    }

    private int openSlots() {
        return (int) receiver.node.counters().openSlots();
    }

    @BeforeEach
    void twoSendersHoldAllRoom() {
        for (Side each : sides) {
            each.node.hint(receiver.id, new At(0));
        }
        for (int i = 1; i <= 40; i++) {
            first.send(i, 10);
            second.send(i, 10);
        }
        passes(SECOND);
        assertEquals(80, receiver.delivered);
        assertEquals(64, openSlots(), "in reserve");
    }

    @Test
    void sendersThatVanishDoNotStarveOthers() {
        first.gone = true;
        second.gone = true;
        third.send(1, 10);
        passes(50 * SECOND);
        assertEquals(Map.of(), third.outcomes, "a sender may be silent for so long");
        passes(15 * SECOND);
        assertEquals(Map.of(1L, Outcome.DELIVERED), third.outcomes);
        assertEquals(1, receiver.node.counters().abandoned(), "no more than it takes");
        third.send(2, 10_000);
        passes(SECOND);
        assertEquals(Outcome.DELIVERED, third.outcomes.get(2L));
    }

    /** What its record held is refused for ever: neither a recording nor the sender itself delivers a message again. */
    @Test
    void anAbandonedSenderThatComesBackDeliversNothingTwice() {
        first.send(41, 10);
        receiver.run();
        first.gone = true; // it does not hear the acknowledgement
        now += STEP;
        second.send(41, 10);
        receiver.run();
        assertEquals(82, receiver.delivered);
        second.gone = true;
        third.send(1, 10_000); // more slots than these two messages made free
        passes(70 * SECOND);
        assertEquals(1, receiver.node.counters().abandoned(), "the first, silent for longer");
        assertEquals(Map.of(1L, Outcome.DELIVERED), third.outcomes);
        int before = receiver.delivered;
        replay(first.sent, first);
        replay(second.sent, second);
        passes(SECOND);
        assertEquals(before, receiver.delivered);
        first.gone = false;
        passes(100 * SECOND);
        assertEquals(before, receiver.delivered, "not again");
        assertEquals(Outcome.UNKNOWN, first.outcomes.get(41L));
        first.send(42, 10);
        passes(100 * SECOND);
        assertEquals(Outcome.DELIVERED, first.outcomes.get(42L));
        assertEquals(before + 1, receiver.delivered);
    }

    @Test
    void silentSendersKeepTheirSlotsWhileNoMessageWaitsForRoom() {
        first.gone = true;
        passes(1_200 * SECOND);
        assertEquals(0, receiver.node.counters().abandoned());
        assertEquals(32, openSlots());
    }

    /** The receiver stood still: that is no silence of the senders. */
    @Test
    void sendersThatAnswerTheLastQuestionKeepTheirSlots() {
        first.send(41, 10);
        second.send(41, 10);
        third.send(1, 10);
        receiver.gone = true;
        passes(2 * SECOND);
        now += 600 * SECOND;
        receiver.gone = false;
        passes(30 * SECOND);
        assertEquals(0, receiver.node.counters().abandoned());
        assertEquals(Outcome.DELIVERED, first.outcomes.get(41L));
        assertEquals(Outcome.DELIVERED, second.outcomes.get(41L));
        assertEquals(Outcome.DELIVERED, third.outcomes.get(1L));
    }

    /** A recording is no sign of life of its sender. */
    @Test
    void replaysDoNotKeepTheRoomOfASenderThatIsGone() {
        first.gone = true;
        second.gone = true;
        third.send(1, 10);
        for (int i = 0; i < 70; i++) {
            replay(first.sent, first);
            replay(second.sent, second);
            passes(SECOND);
        }
        assertEquals(Map.of(1L, Outcome.DELIVERED), third.outcomes);
        assertEquals(81, receiver.delivered);
    }

    @Test
    void aNodeThatEndsGivesItsSlotsBackAtOnce() {
        first.node.close(now);
        second.node.close(now);
        first.gone = true;
        second.gone = true;
        third.send(1, 10);
        passes(SECOND / 10);
        assertEquals(Map.of(1L, Outcome.DELIVERED), third.outcomes);
        assertEquals(1, receiver.node.counters().receiveRecords());
        assertEquals(0, receiver.node.counters().abandoned());
    }

    /** A message that is under way keeps its record: its outcome is told as ever. */
    @Test
    void aNodeThatEndsKeepsWhatIsUnderWay() {
        first.send(41, 10);
        first.node.close(now);
        passes(SECOND / 10);
        assertEquals(Outcome.DELIVERED, first.outcomes.get(41L));
    }
}
