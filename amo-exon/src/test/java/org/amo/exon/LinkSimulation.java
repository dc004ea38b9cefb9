package org.amo.exon;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Two nodes over one bottleneck in each direction, in virtual time: rate, delay, a finite queue that drops what does not
 * fit, random loss before the queue, jitter behind it that reorders, and, if wanted, other flows in the direction from a to b.
 */
final class LinkSimulation {
    private static final int OVERHEAD = 28 + 14;

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final SplittableRandom random;
    private final double bytesPerMicro;
    private final long delayMicros;
    private final int queueBytes;
    private final double loss;
    private long now;
    private long order;
    private boolean cut;

    /** Each datagram takes up to so much longer, and overtakes others. */
    long jitterMicros;

    private final double[] freeAt = new double[2];

    final Map<Integer, Long> delivered = new HashMap<>();
    final List<Outcome> outcomes = new ArrayList<>();
    /** Threads that share a busy processor run so much later than they should, and then find all that has come. */
    LongSupplier wakesLate = () -> 0;

    /** Whether the application runs in the loop, not in a thread of its own. */
    boolean applicationInLoop;

    long queueDrops;
    long sentBytes;
    long answered;

    /** Datagrams that went through the bottleneck from a to b, and the time that all of them waited before it. */
    long carried;

    double waitedMicros;
    private final Side a;
    private final Side b;

    private record Event(long at, long order, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(at, other.at);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }

    private record Where(int side) implements Address {}

    LinkSimulation(double megabits, long rttMicros, int queueBytes, double loss, long seed) {
        this(megabits, rttMicros, queueBytes, loss, seed, Reordering::new);
    }

    LinkSimulation(
            double megabits, long rttMicros, int queueBytes, double loss, long seed, Supplier<Reordering> reordering) {
        this.a = new Side(0, reordering);
        this.b = new Side(1, reordering);
        this.bytesPerMicro = megabits / 8;
        this.delayMicros = rttMicros / 2;
        this.queueBytes = queueBytes;
        this.loss = loss;
        this.random = new SplittableRandom(seed);
        a.peer = b;
        b.peer = a;
        a.node.hint(b.id, new Where(1));
    }

    long now() {
        return now;
    }

    /** Most wake-ups are in time, that share of them up to so much late, as beside other busy processes. */
    void share(double late, long mostMicros) {
        SplittableRandom chance = random.split();
        wakesLate = () -> chance.nextDouble() < late ? chance.nextLong(mostMicros) : 0;
    }

    void at(long micros, Runnable action) {
        events.add(new Event(Math.max(now, micros), order++, action));
    }

    void runUntil(long micros) {
        while (!events.isEmpty() && events.element().at <= micros) {
            Event event = events.remove();
            now = event.at;
            event.action.run();
        }
        now = micros;
    }

    /** Ends the load, loses all datagrams from then on, and sends one more message: the time from it to its first retry. */
    long firstRetryMicros() {
        a.refill = 0;
        runUntil(now + 500_000);
        cut = true;
        a.send(100);
        a.after();
        long sent = a.sentMicros;
        long limit = now + 1_000_000;
        while (a.sentMicros == sent && now < limit) {
            runUntil(now + 1_000);
        }
        return a.sentMicros - sent;
    }

    /** Keeps so many messages of that size under way, for ever. */
    void saturate(int messages, int bytes) {
        a.saturate(messages, bytes);
    }

    /** So many actors that send a request, wait for a reply of the same size and send the next. */
    void call(int actors, int bytes) {
        b.replies = true;
        a.calls = bytes;
        for (int i = 0; i < actors; i++) {
            a.send(bytes);
        }
        a.after();
    }

    /** Another pair of nodes, with as many messages of that size under way, for ever; {@code delivered} counts them under 3. */
    void saturateSecondPair(int messages, int bytes) {
        Side c = new Side(2, Reordering::new);
        Side d = new Side(3, Reordering::new);
        c.peer = d;
        d.peer = c;
        c.node.hint(d.id, new Where(3));
        c.saturate(messages, bytes);
    }

    /** Without queue and jitter. */
    long oneWayMicros() {
        return delayMicros;
    }

    /** Through the bottleneck from a side to the other. */
    void forward(int from, int bytes, Runnable arrival, Runnable drop) {
        sentBytes += from == 0 ? bytes : 0;
        if (cut || random.nextDouble() < loss) {
            drop.run();
            return;
        }
        double waitMicros = Math.max(0, freeAt[from] - (double) now);
        if (waitMicros * bytesPerMicro + bytes + OVERHEAD > queueBytes) {
            queueDrops++;
            drop.run();
            return;
        }
        freeAt[from] = Math.max(freeAt[from], (double) now) + (bytes + OVERHEAD) / bytesPerMicro;
        if (from == 0) {
            carried++;
            waitedMicros += waitMicros;
        }
        long jitter = jitterMicros > 0 ? random.nextLong(jitterMicros + 1) : 0;
        at((long) freeAt[from] + delayMicros + jitter, arrival);
    }

    /** One node and its application. Even ones send from a to b. */
    private final class Side implements ExonEffects {
        private final int index;
        private Side peer = this;
        private final NodeId id;
        private final ExonNode node;
        private long numbers;
        private int refill;
        private int calls;
        private boolean replies;
        private long sentMicros;
        private long tickAt = Long.MAX_VALUE;
        private final List<Runnable> arrived = new ArrayList<>();
        private final Late loop = new Late(this::run);
        private final List<Runnable> later = new ArrayList<>();
        private final Late application = new Late(this::runApplication);

        Side(int index, Supplier<Reordering> reordering) {
            this.index = index;
            this.id = new NodeId(3, index);
            this.node = new ExonNode(
                    id, 1, 1 << 30, new byte[] {9}, ExonOptions.builder().build(), this) {
                @Override
                Reordering newReordering() {
                    return reordering.get();
                }
            };
        }

        void saturate(int messages, int bytes) {
            refill = bytes;
            for (int i = 0; i < messages; i++) {
                send(bytes);
            }
            after();
        }

        void send(int bytes) {
            node.send(peer.id, ++numbers, new byte[bytes], Long.MAX_VALUE / 4, now);
        }

        /** The loop runs: whatever has come, what the application did, what is due, and what may leave. */
        private void run() {
            List<Runnable> all = new ArrayList<>(arrived);
            arrived.clear();
            all.forEach(Runnable::run);
            if (tickAt <= now) {
                tickAt = Long.MAX_VALUE;
                node.onTick(now);
            }
            after();
        }

        private void runApplication() {
            List<Runnable> due = new ArrayList<>(later);
            later.clear();
            arrived.addAll(due);
            loop.wake();
        }

        void after() {
            node.flush(now);
            while (applicationInLoop && !later.isEmpty()) {
                List<Runnable> due = new ArrayList<>(later);
                later.clear();
                due.forEach(Runnable::run);
                node.flush(now);
            }
            if (!later.isEmpty()) {
                application.wake();
            }
            long at = Math.max(now + 1, node.nextDeadline());
            if (at < tickAt) {
                tickAt = at;
                at(at, () -> {
                    if (tickAt == at) {
                        loop.wake();
                    }
                });
            }
        }

        @Override
        public void transmit(Address to, byte[] datagram) {
            sentMicros = now;
            forward(index % 2, datagram.length, () -> peer.arrived(new Where(index), datagram), () -> {});
        }

        private void arrived(Where from, byte[] datagram) {
            arrived.add(() -> node.onDatagram(from, datagram, datagram.length, now));
            loop.wake();
        }

        @Override
        public void deliver(MessageName delivery, byte[] message) {
            delivered.merge(index, (long) message.length, Long::sum);
            later.add(() -> {
                node.onAccepted(delivery, now);
                node.onTaken(delivery.units(), now);
            });
            if (replies) {
                later.add(() -> send(message.length));
            } else if (calls > 0) {
                answered++;
                later.add(() -> send(calls));
            }
        }

        @Override
        public void completed(long message, Outcome outcome) {
            outcomes.add(outcome);
            if (refill > 0) {
                later.add(() -> send(refill));
            }
        }

        @Override
        public void reserveClock(long bound) {
            later.add(() -> node.onClockReserved(bound, now));
        }
    }

    /** A thread that was woken, and runs as soon as it gets the processor. */
    private final class Late {
        private final Runnable work;
        private boolean woken;

        Late(Runnable work) {
            this.work = work;
        }

        void wake() {
            if (woken) {
                return;
            }
            woken = true;
            at(now + wakesLate.getAsLong(), () -> {
                woken = false;
                work.run();
            });
        }
    }
}
