package org.amo.exon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A receive record is abandoned when its sender answers nothing; not because it sends nothing, or sends slowly. */
class LivingSenderTest {
    private static final long SECOND = 1_000_000;
    private static final long NEVER = Long.MAX_VALUE / 4;

    private final List<Outcome> outcomes = new ArrayList<>();
    private final Side sender = new Side(1, 10_000 * SECOND);
    private final Side receiver = new Side(2, SECOND);
    private long now = 1_000;
    private boolean senderIsGone;

    private record At(int side) implements Address {}

    /** A node, and what is on its way to it. */
    private final class Side implements ExonEffects {
        final NodeId id;
        final ExonNode node;
        final ArrayDeque<byte[]> arriving = new ArrayDeque<>();
        int delivered;

        Side(int index, long idleMicros) {
            id = new NodeId(4, index);
            ExonOptions options = ExonOptions.builder()
                    .idleMicros(idleMicros)
                    .abandonMicros(Math.max(4 * SECOND, 2 * idleMicros))
                    .build();
            node = new AtReceiptNode(id, 1, 1 << 20, new byte[] {5}, options, this);
        }

        private Side other() {
            return this == sender ? receiver : sender;
        }

        @Override
        public void transmit(Address to, byte[] datagram) {
            other().arriving.add(datagram);
        }

        @Override
        public void deliver(MessageName delivery, byte[] message) {
            delivered++;
        }

        @Override
        public void completed(long message, Outcome outcome) {
            outcomes.add(outcome);
        }

        @Override
        public void reserveClock(long bound) {}

        void run() {
            while (!arriving.isEmpty()) {
                byte[] datagram = arriving.remove();
                node.onDatagram(new At((int) other().id.low()), datagram, datagram.length, now);
            }
            node.onTick(now);
            node.flush(now);
        }
    }

    private void send() {
        assertTrue(sender.node.send(receiver.id, outcomes.size() + 1, new byte[10], NEVER, now));
        sender.node.flush(now);
    }

    /** Both run every millisecond. */
    private void passes(long micros) {
        for (long end = now + micros; now < end; now += 1_000) {
            if (senderIsGone) {
                sender.arriving.clear();
            } else {
                sender.run();
            }
            receiver.run();
        }
    }

    @BeforeEach
    void aFirstMessageLeavesSlotsOpen() {
        sender.node.hint(receiver.id, new At(2));
        send();
        passes(SECOND / 10);
        assertEquals(List.of(Outcome.DELIVERED), outcomes);
        assertTrue(receiver.node.counters().openSlots() > 0);
    }

    /** The sender keeps its record longer than the receiver waits: it answers the probes, though it asks for nothing. */
    @Test
    void aSenderThatHasNothingToSendIsNotTakenForGone() {
        passes(20 * SECOND);
        assertEquals(1, receiver.node.counters().receiveRecords());
        send();
        passes(SECOND / 10);
        assertEquals(List.of(Outcome.DELIVERED, Outcome.DELIVERED), outcomes);
        assertEquals(2, receiver.delivered);
        assertEquals(0, receiver.node.counters().abandoned());
    }

    /** It was the receiver that stood still: what it did not hear meanwhile is nobody's silence. */
    @Test
    void aReceiverThatWasStoppedAsksBeforeItAbandons() {
        now += 60 * SECOND;
        receiver.run();
        assertEquals(1, receiver.node.counters().receiveRecords());
        passes(20 * SECOND);
        send();
        passes(SECOND / 10);
        assertEquals(List.of(Outcome.DELIVERED, Outcome.DELIVERED), outcomes);
        assertEquals(0, receiver.node.counters().abandoned());
    }

    /** A sender that is gone leaves nothing for ever. */
    @Test
    void aSenderThatAnswersNothingIsAbandoned() {
        senderIsGone = true;
        passes(4 * SECOND);
        assertEquals(1, receiver.node.counters().receiveRecords());
        passes(2 * SECOND);
        assertEquals(0, receiver.node.counters().receiveRecords());
        assertEquals(1, receiver.node.counters().abandoned());
        assertEquals(0, receiver.node.counters().openSlots());
    }
}
