package org.amo.dpg.udp;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import org.amo.dpg.Tag;

/** Sites and a tag sequencer in computed time, on a network that delays each datagram by 40 to 60 us and loses none. */
final class ComputedGroup {
    private static final int BYTES = 1_000;
    private static final int WAITING = 256;

    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::atMicros).thenComparingLong(Event::number));
    private final Random random;
    private final DpgNodeOptions options;
    private final double perSecondAndSite;
    private final SequencerNode<Site> sequencer;
    private final Set<Site> present = new LinkedHashSet<>();
    private long nowMicros;
    private long numbers;
    private boolean numbering;

    private record Event(long atMicros, long number, Runnable what) {}

    ComputedGroup(DpgNodeOptions options, double perSecondAndSite, long seed) {
        this.options = options;
        this.perSecondAndSite = perSecondAndSite;
        this.random = new Random(seed);
        this.sequencer = new SequencerNode<>(options, 0, 1_000_000, random::nextLong);
    }

    Site join() {
        return new Site();
    }

    long nowMicros() {
        return nowMicros;
    }

    void run(long micros) {
        long end = nowMicros + micros;
        while (!events.isEmpty() && events.element().atMicros <= end) {
            Event next = events.remove();
            nowMicros = next.atMicros;
            next.what.run();
        }
        nowMicros = end;
    }

    private void at(long micros, Runnable what) {
        events.add(new Event(micros, ++numbers, what));
    }

    private void carry(Runnable arrival) {
        at(nowMicros + 40 + random.nextInt(20), arrival);
    }

    /** One life of a site. */
    final class Site implements DpgNodeEffects, DpgReceiver {
        private final DpgNode node;
        private final long begunMicros = nowMicros;
        private final List<String> delivered = new ArrayList<>();
        private long wakeMicros = Long.MAX_VALUE;
        private long sent;
        private long lastMicros = nowMicros;
        private long longestMicros;
        private int dummies;

        Site() {
            node = new DpgNode(options, this, this, random::nextLong, nowMicros);
            present.add(this);
            offer();
        }

        private void offer() {
            at(nowMicros + 1_000, () -> {
                if (present.contains(this)) {
                    after();
                    offer();
                }
            });
        }

        private void after() {
            double due = (nowMicros - begunMicros) * 1e-6 * perSecondAndSite;
            for (int i = 0; i < WAITING && sent < due && node.submit(new byte[BYTES], nowMicros); i++) {
                sent++;
            }
            node.flush(nowMicros);
            long deadline = Math.max(node.nextDeadline(), nowMicros + 1);
            if (deadline < wakeMicros) {
                wakeMicros = deadline;
                at(deadline, () -> onWake(deadline));
            }
        }

        private void onWake(long deadline) {
            if (present.contains(this) && wakeMicros == deadline) {
                wakeMicros = Long.MAX_VALUE;
                node.onTick(nowMicros);
                after();
            }
        }

        private void onDatagram(byte[] datagram) {
            if (present.contains(this)) {
                node.onDatagram(datagram, nowMicros);
                after();
            }
        }

        /** Without a word. */
        void goes() {
            present.remove(this);
        }

        /** From here on pauses are looked for. */
        void watch() {
            lastMicros = nowMicros;
            longestMicros = 0;
        }

        long longestPauseMicros() {
            return Math.max(longestMicros, nowMicros - lastMicros);
        }

        List<String> delivered() {
            return delivered;
        }

        int dummies() {
            return dummies;
        }

        DpgMetrics figures() {
            return node.figures();
        }

        @Override
        public void toGroup(byte[] datagram) {
            for (Site site : present) {
                if (site != this) {
                    carry(() -> site.onDatagram(datagram));
                }
            }
        }

        @Override
        public void toSequencer(int index, byte[] datagram) {
            carry(() -> {
                sequencer.onDatagram(this, datagram, nowMicros);
                if (!numbering) {
                    numbering = true;
                    at(nowMicros + 20, this::tellNumbers);
                }
            });
        }

        private void tellNumbers() {
            numbering = false;
            for (byte[] datagram : sequencer.take()) {
                for (Site site : sequencer.subscribers(nowMicros)) {
                    carry(() -> site.onDatagram(datagram));
                }
            }
        }

        @Override
        public void onMessage(Tag tag, byte[] body, boolean own) {
            delivered.add(tag.toString());
            longestMicros = Math.max(longestMicros, nowMicros - lastMicros);
            lastMicros = nowMicros;
        }

        @Override
        public void onDummy(Tag tag) {
            dummies++;
        }

        @Override
        public void onSegment(Tag after) {
            // A segment of the same sequence: what is delivered is compared.
        }

        @Override
        public void onUndetermined(byte[] body) {
            // Nobody waits for it.
        }
    }
}
