package org.amo.exon.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Random;
import org.amo.base.wire.Seal;
import org.amo.exon.Address;
import org.amo.exon.ExonEffects;
import org.amo.exon.ExonNode;
import org.amo.exon.ExonOptions;
import org.amo.exon.MessageName;
import org.amo.exon.NodeId;
import org.amo.exon.Outcome;
import org.junit.jupiter.api.Test;

/**
 * Nodes of Exon behind encrypted links, in virtual time: keys rotate after a few datagrams, the network loses, doubles, delays and
 * replays, and processes end at any moment. Each message is delivered at most once, and its outcome is true.
 */
class EncryptedNodesTest {
    private static final byte[] SECRET = {1};
    private static final long SECOND = 1_000_000;
    private static final long CLOCK_RANGE = 1 << 20;
    private static final int ROTATE_BYTES = 4_000;
    private static final ExonOptions OPTIONS =
            ExonOptions.builder().clockRange(CLOCK_RANGE).build().withDatagramBytes(600);

    private record Place(String name) implements Address {}

    private record InFlight(long atMicros, Place from, Place to, byte[] bytes) implements Comparable<InFlight> {
        @Override
        public int compareTo(InFlight other) {
            return Long.compare(atMicros, other.atMicros);
        }
    }

    /** One run, from a seed. */
    private static final class Run {
        final Random random;
        final double faults;
        final PriorityQueue<InFlight> network = new PriorityQueue<>();
        final List<InFlight> recorded = new ArrayList<>();
        final Node a = new Node(new NodeId(1, 1), "a");
        final Node b = new Node(new NodeId(1, 2), "b");
        final Map<Integer, Integer> delivered = new HashMap<>();
        final Map<Long, Outcome> outcomes = new HashMap<>();
        boolean calm;
        long now = SECOND;

        Run(int seed, double faults) {
            this.random = new Random(seed);
            this.faults = faults;
            a.start();
            b.start();
            hint(a, b);
            hint(b, a);
        }

        private static void hint(Node node, Node other) {
            node.core.hint(other.id, other.place);
        }

        void restart(Node node, Node other) {
            node.start();
            hint(node, other);
        }

        private void put(Place from, Place to, byte[] bytes) {
            recorded.add(new InFlight(0, from, to, bytes));
            if (!calm && random.nextDouble() < faults) {
                return;
            }
            for (int copies = random.nextDouble() < faults ? 2 : 1; copies > 0; copies--) {
                long delay = 1_000L + (random.nextDouble() < faults ? random.nextInt(50_000) : 0);
                network.add(new InFlight(now + delay, from, to, bytes));
            }
        }

        /** A recording, under its first or another address. */
        void replay() {
            if (!recorded.isEmpty()) {
                InFlight old = recorded.get(random.nextInt(recorded.size()));
                Place from = random.nextBoolean() ? old.from : new Place("attacker");
                network.add(new InFlight(now, from, old.to, old.bytes));
            }
        }

        /** Lets time pass until then. */
        void until(long end) {
            while (true) {
                long next = Math.min(a.nextDeadline(), b.nextDeadline());
                next = Math.max(now, network.isEmpty() ? next : Math.min(next, network.peek().atMicros));
                if (next > end) {
                    now = end;
                    return;
                }
                now = next;
                while (!network.isEmpty() && network.peek().atMicros <= now) {
                    InFlight due = network.remove();
                    for (Node node : List.of(a, b)) {
                        if (node.place.equals(due.to)) {
                            node.links.onDatagram(due.from, due.bytes, now);
                        }
                    }
                }
                a.settle();
                b.settle();
            }
        }

        final class Node implements ExonEffects, SecureLinks.Effects {
            final NodeId id;
            final Place place;
            final Queue<MessageName> taken = new ArrayDeque<>();
            long incarnation = 1;
            ExonNode core;
            SecureLinks links;

            Node(NodeId id, String place) {
                this.id = id;
                this.place = new Place(place);
            }

            void start() {
                incarnation += 10 * CLOCK_RANGE;
                taken.clear();
                core = new ExonNode(id, incarnation, incarnation + CLOCK_RANGE, SECRET, OPTIONS, this);
                links = new SecureLinks(
                        new SecureKeys(id, incarnation, Seal.ofKey(SECRET), Map.of(), ROTATE_BYTES, 20 * SECOND),
                        this,
                        new SecureRandom(),
                        X25519::newKeyPair);
            }

            long nextDeadline() {
                return Math.min(core.nextDeadline(), links.nextDeadline());
            }

            void settle() {
                for (MessageName name = taken.poll(); name != null; name = taken.poll()) {
                    core.onAccepted(name, now);
                    core.onTaken(name.units(), now);
                }
                core.onTick(now);
                links.onTick(now);
            }

            void send(Node to, int number, int length) {
                core.send(
                        to.id,
                        number,
                        ByteBuffer.allocate(length).putInt(number).array(),
                        now + 600 * SECOND,
                        now);
                core.flush(now);
            }

            @Override
            public void send(Address to, byte[] datagram) {
                put(place, (Place) to, datagram);
            }

            @Override
            public void opened(Address from, byte[] datagram) {
                core.onDatagram(from, datagram, datagram.length, now);
            }

            @Override
            public void transmit(Address to, byte[] datagram) {
                throw new IllegalStateException("not encrypted");
            }

            @Override
            public void transmit(NodeId node, Address to, byte[] datagram) {
                links.transmit(node, to, datagram, now);
            }

            @Override
            public void deliver(MessageName delivery, byte[] message) {
                delivered.merge(ByteBuffer.wrap(message).getInt(), 1, Integer::sum);
                taken.add(delivery);
            }

            @Override
            public void completed(long message, Outcome outcome) {
                assertFalse(outcomes.containsKey(message));
                outcomes.put(message, outcome);
            }

            @Override
            public void reserveClock(long bound) {
                throw new IllegalStateException("the range is enough for a run");
            }
        }
    }

    private static void assertTrueOutcomes(Run run, int sent, String seed) {
        run.delivered.forEach((number, times) -> assertEquals(1, times, seed + ": message " + number));
        run.outcomes.forEach((number, outcome) -> {
            boolean delivered = run.delivered.containsKey(number.intValue());
            assertTrue(
                    outcome == Outcome.UNKNOWN || delivered == (outcome == Outcome.DELIVERED),
                    seed + ": message " + number + " is " + outcome);
        });
        assertTrue(run.delivered.size() <= sent);
    }

    @Test
    void messagesAreDeliveredOnceWhileKeysRotateAndRecordingsComeAgain() {
        for (int seed = 0; seed < 12; seed++) {
            Run run = new Run(seed, 0.25);
            int count = 300;
            for (int i = 0; i < count; i++) {
                (i % 2 == 0 ? run.a : run.b).send(i % 2 == 0 ? run.b : run.a, i, i % 20 == 0 ? 2_000 : 50);
                run.until(run.now + run.random.nextInt(10_000));
                run.replay();
            }
            run.calm = true;
            run.until(run.now + 60 * SECOND);
            assertTrueOutcomes(run, count, "seed " + seed);
            assertEquals(count, run.delivered.size(), "seed " + seed);
            for (Outcome outcome : run.outcomes.values()) {
                assertEquals(Outcome.DELIVERED, outcome, "seed " + seed);
            }
            assertEquals(count, run.outcomes.size(), "seed " + seed);
            assertTrue(run.a.links.agreed() > 8, "seed " + seed + ": rotations " + run.a.links.agreed());
            assertEquals(0, run.a.core.counters().unauthentic(), "only true datagrams of the peer reach the node");
            assertEquals(0, run.b.core.counters().malformed());
        }
    }

    @Test
    void outcomesAreTrueWhenProcessesEndAmongRotations() {
        for (int seed = 100; seed < 130; seed++) {
            Run run = new Run(seed, 0.2);
            int count = 200;
            for (int i = 0; i < count; i++) {
                run.a.send(run.b, i, 50);
                run.until(run.now + run.random.nextInt(20_000));
                run.replay();
                if (run.random.nextInt(40) == 0) {
                    run.restart(run.b, run.a);
                }
            }
            run.calm = true;
            run.until(run.now + 60 * SECOND);
            assertTrueOutcomes(run, count, "seed " + seed);
            assertEquals(count, run.outcomes.size(), "seed " + seed + ": each message has an outcome");
            // Slots of a process that has ended may take a message still; then the sender has heard the next one.
            for (int i = 0; i < 20; i++) {
                run.a.send(run.b, 1_000 + i, 50);
                run.until(run.now + 5 * SECOND);
            }
            assertEquals(Outcome.DELIVERED, run.outcomes.get(1_019L), "seed " + seed);
            run.restart(run.a, run.b);
            run.a.send(run.b, 2_000, 50);
            run.until(run.now + 30 * SECOND);
            assertEquals(1, run.delivered.get(2_000), "seed " + seed + ": the next process is heard");
        }
    }
}
