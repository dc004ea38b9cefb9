package org.amo.benchmarks.order;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** Keeps a number of messages outstanding: each that completes is followed by the next. */
final class Window {
    private static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long MOST_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Sender sender;
    private final AtomicLong sequences = new AtomicLong();
    private final AtomicLong completed = new AtomicLong();
    private final ConcurrentHashMap<Long, Long> sentAt = new ConcurrentHashMap<>();
    private final Histogram latency = new ConcurrentHistogram(MOST_NANOS, 3);
    private volatile boolean running;
    private volatile int size = 280;

    /** The result of one member in a round; latencies are NaN without a completed message. */
    record Result(long completed, double seconds, double p50Micros, double p99Micros, long lost) {}

    Window(Sender sender) {
        this.sender = sender;
    }

    void onCompleted(long sequence) {
        Long sent = sentAt.remove(sequence);
        if (sent == null) {
            return;
        }
        if (running) {
            latency.recordValue(Math.min(MOST_NANOS, System.nanoTime() - sent));
            completed.incrementAndGet();
            sendNext();
        }
    }

    Result run(int outstanding, int bytes, long millis) throws InterruptedException {
        size = bytes;
        latency.reset();
        completed.set(0);
        running = true;
        long start = System.nanoTime();
        for (int i = 0; i < outstanding; i++) {
            sendNext();
        }
        TimeUnit.MILLISECONDS.sleep(millis);
        running = false;
        double seconds = (System.nanoTime() - start) / 1e9;
        long done = completed.get();
        long end = System.nanoTime() + DRAIN_NANOS;
        while (!sentAt.isEmpty() && System.nanoTime() < end) {
            TimeUnit.MILLISECONDS.sleep(5);
        }
        long lost = sentAt.size();
        sentAt.clear();
        return new Result(done, seconds, micros(50, done), micros(99, done), lost);
    }

    private double micros(double percentile, long done) {
        return done == 0 ? Double.NaN : latency.getValueAtPercentile(percentile) / 1e3;
    }

    private void sendNext() {
        long sequence = sequences.incrementAndGet();
        sentAt.put(sequence, System.nanoTime());
        try {
            sender.send(sequence, new byte[size]);
        } catch (Exception e) {
            throw new IllegalStateException("message " + sequence + " was not sent", e);
        }
    }
}
