package org.amo.benchmarks.dpg;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import org.amo.dpg.ContiguityDetector;
import org.amo.dpg.ContiguityDetector.Arrival;
import org.amo.dpg.DpgCodec;
import org.amo.dpg.DpgSite;
import org.amo.dpg.Message;
import org.amo.dpg.OwnMessages;
import org.amo.dpg.Report;
import org.amo.dpg.udp.DpgNodeOptions;

/**
 * Larger groups than the paper's on the single-access medium, in computed time: sites fetch every frame at once, own messages are
 * suspended, and the whole group offers so many messages a second, or always has another one. One thread; the seed alone decides
 * the course.
 */
final class ComputedMedium {
    private static final int AROUND_FRAME = 38 + 28;
    private static final int ADMISSION = 64;
    private static final long LONGEST_MICROS = 100_000;
    /** A group listens for five rounds of reports before it begins, and forces its first message three rounds later. */
    private static final long RAMP_MICROS_A_SITE = 165_000;

    /** As the sites on sockets: nothing more is sent while so much has no place in the order. */
    private static final int MOST_VERTICES = 64;

    private static final long LEAST_RAMP_MICROS = 3_000_000;

    private final double microsPerByte;
    private final int bytes;
    private final double perSecond;
    private final Random random;
    private final List<Site> sites = new ArrayList<>();
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::atMicros).thenComparingLong(Event::number));
    private long nowMicros;
    private long eventNumbers;
    private long ids;
    private boolean busy;
    private long messageBytes;
    private long reportBytes;

    private record Event(long atMicros, long number, Runnable what) {}

    private record Frame(Site from, Optional<Message> message, Optional<Report> report, int bytes) {
        boolean isMessage() {
            return message.isPresent();
        }
    }

    /**
     * The result of a run.
     *
     * @param perSecond messages that a site delivered, a computed second
     * @param computedOverReal how much faster than real time it ran, on one core
     */
    record Result(
            double perSecond,
            double computedOverReal,
            double reportSharePercent,
            double violationsPerMillion,
            int mostVertices) {}

    private ComputedMedium(double megabits, int count, double perSecond, int bytes, long seed) {
        this.microsPerByte = 8 / megabits;
        this.perSecond = perSecond;
        this.bytes = bytes;
        this.random = new Random(seed);
        for (int i = 0; i < count; i++) {
            sites.add(new Site(count));
        }
    }

    /** @param perSecond messages that the whole group offers a second; 0 for as many as flow control takes */
    static Result run(double megabits, int count, double perSecond, int bytes, double seconds, long seed) {
        ComputedMedium run = new ComputedMedium(megabits, count, perSecond, bytes, seed);
        run.sites.forEach(Site::start);
        long ramp = Math.max(LEAST_RAMP_MICROS, count * RAMP_MICROS_A_SITE);
        run.until(ramp);
        int before = run.sites.get(0).deliveries.size();
        long real = System.nanoTime();
        run.until(ramp + (long) (seconds * 1e6));
        double realSeconds = (System.nanoTime() - real) / 1e9;
        OrderAudit audit = new OrderAudit();
        audit.compare(run.sites.stream().map(site -> site.deliveries).toList(), List.of());
        return new Result(
                (run.sites.get(0).deliveries.size() - before) / seconds,
                seconds / realSeconds,
                100.0 * run.reportBytes / Math.max(1, run.reportBytes + run.messageBytes),
                audit.perMillion(),
                run.sites.stream()
                        .mapToInt(site -> site.core.counters().mostVertices())
                        .max()
                        .orElseThrow());
    }

    private void until(long micros) {
        while (!events.isEmpty() && events.element().atMicros <= micros) {
            Event next = events.remove();
            nowMicros = next.atMicros;
            next.what.run();
        }
        nowMicros = micros;
    }

    private void at(long micros, Runnable what) {
        events.add(new Event(micros, ++eventNumbers, what));
    }

    private void carryNext() {
        if (busy) {
            return;
        }
        List<Site> ready = sites.stream().filter(site -> !site.queue.isEmpty()).toList();
        if (ready.isEmpty()) {
            return;
        }
        Frame frame = ready.get(random.nextInt(ready.size())).queue.remove();
        busy = true;
        if (frame.isMessage()) {
            messageBytes += frame.bytes;
        } else {
            reportBytes += frame.bytes;
        }
        at(nowMicros + (long) ((frame.bytes + AROUND_FRAME) * microsPerByte), () -> {
            busy = false;
            for (Site site : sites) {
                site.take(frame);
            }
            carryNext();
        });
    }

    private final class Site extends WatchedSite {
        private final ArrayDeque<Frame> queue = new ArrayDeque<>();
        private final ContiguityDetector detector = ContiguityDetector.ofOverwrites();
        private final DpgSite core;
        private long wakeMicros = Long.MAX_VALUE;

        Site(int count) {
            super(new DeliveryLog());
            core = new DpgSite(
                    DpgNodeOptions.coreFor(count)
                            .maxBodyBytes(bytes)
                            .buffers(2_048, ADMISSION)
                            .ownMessages(OwnMessages.SUSPENDED)
                            .flowControl(perSecond > 0 ? 1 : count * Figure3.FRAME_MICROS, LONGEST_MICROS, 100, 5_000)
                            .build(),
                    () -> random.nextLong() | 1,
                    this,
                    0);
        }

        void start() {
            wake();
            if (perSecond > 0) {
                offer();
            }
        }

        private boolean maySubmit() {
            return core.isAnchored() && core.vertices() < MOST_VERTICES;
        }

        private void fill() {
            while (perSecond == 0 && maySubmit() && core.submit(DeliveryLog.message(++ids, bytes), nowMicros)) {
                // The generator fills the admission buffers.
            }
        }

        private void offer() {
            double mean = 1e6 * sites.size() / perSecond;
            at(nowMicros + 1 + (long) (2 * mean * random.nextDouble()), () -> {
                if (maySubmit()) {
                    core.submit(DeliveryLog.message(++ids, bytes), nowMicros);
                    wake();
                }
                offer();
            });
        }

        void take(Frame frame) {
            boolean hidden = frame.from == this && frame.isMessage();
            boolean contiguous =
                    detector.onReception(new Arrival(frame.isMessage() && !hidden, false, 0, nowMicros, nowMicros));
            if (!hidden) {
                frame.message.ifPresent(message -> core.onMessage(message, contiguous, nowMicros));
                frame.report.ifPresent(report -> core.onReport(report, nowMicros));
                wake();
            }
        }

        private void wake() {
            fill();
            long deadline = Math.max(core.nextDeadline(), nowMicros + 1);
            if (deadline < wakeMicros) {
                wakeMicros = deadline;
                at(deadline, () -> {
                    if (wakeMicros == deadline) {
                        wakeMicros = Long.MAX_VALUE;
                        core.onTick(nowMicros);
                        wake();
                    }
                });
            }
        }

        private void send(Frame frame) {
            queue.add(frame);
            // Not at once: the core is sending.
            at(nowMicros, ComputedMedium.this::carryNext);
        }

        @Override
        public void multicast(Message message) {
            send(new Frame(this, Optional.of(message), Optional.empty(), DpgCodec.encode(message).length));
        }

        @Override
        public void multicast(Report report) {
            queue.removeIf(frame -> !frame.isMessage());
            send(new Frame(this, Optional.empty(), Optional.of(report), DpgCodec.encode(report).length));
        }
    }
}
