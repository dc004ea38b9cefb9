package org.amo.benchmarks.dpg;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.amo.base.DaemonThreads;
import org.jspecify.annotations.Nullable;

/**
 * A single-access medium in real time (Konorski, section 3.1): a thread that carries one frame after the other at the rate of the
 * medium, from whichever site's turn it is, to the reception buffers of all. It loses nothing; a frame that a site does not
 * fetch in time is overwritten there. Departures are computed, so that a late wake-up does not change the rate.
 */
final class Medium implements AutoCloseable {
    /** Of an Ethernet and UDP: preamble, headers, checksum, gap. */
    private static final int AROUND_FRAME = 38 + 28;

    private final double nanosPerByte;
    private final List<MediumSite> sites = new ArrayList<>();
    private final List<ArrayDeque<Frame>> queues = new ArrayList<>();
    private final Random random = new Random(3);
    private final Thread thread = DaemonThreads.unstarted("amo-bench-medium", this::carryAll);
    private volatile boolean closed;

    /** A PDU on its way. */
    record Frame(MediumSite from, byte[] pdu, boolean isMessage) {}

    Medium(double megabitsPerSecond) {
        this.nanosPerByte = 8_000 / megabitsPerSecond;
    }

    /** Before {@link #start}. */
    void attach(MediumSite site) {
        sites.add(site);
        queues.add(new ArrayDeque<>());
    }

    void start() {
        thread.start();
    }

    /** Any thread. A site never has two reports in its multicast queue: a report that waits is out of date. */
    void send(Frame frame) {
        synchronized (queues) {
            ArrayDeque<Frame> queue = queues.get(frame.from.index());
            if (!frame.isMessage) {
                queue.removeIf(each -> !each.isMessage);
            }
            queue.add(frame);
        }
        LockSupport.unpark(thread);
    }

    private void carryAll() {
        long free = System.nanoTime();
        while (!closed) {
            Frame frame = next();
            long now = System.nanoTime();
            if (frame == null) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
                free = Math.max(free, System.nanoTime() - TimeUnit.MILLISECONDS.toNanos(1));
                continue;
            }
            free += (long) ((frame.pdu.length + AROUND_FRAME) * nanosPerByte);
            if (free - now > 0) {
                LockSupport.parkNanos(free - now);
            }
            for (MediumSite site : sites) {
                site.arrive(frame);
            }
        }
    }

    private @Nullable Frame next() {
        synchronized (queues) {
            int waiting = 0;
            for (ArrayDeque<Frame> queue : queues) {
                waiting += queue.isEmpty() ? 0 : 1;
            }
            if (waiting == 0) {
                return null;
            }
            int chosen = random.nextInt(waiting);
            for (ArrayDeque<Frame> queue : queues) {
                if (!queue.isEmpty() && chosen-- == 0) {
                    return queue.remove();
                }
            }
            throw new IllegalStateException("one of " + waiting + " queues was to be chosen");
        }
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        DaemonThreads.join(thread, TimeUnit.SECONDS.toMillis(5));
    }
}
