package org.amo.lab;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongUnaryOperator;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.amo.base.DaemonThreads;
import org.amo.base.wire.MalformedFrameException;
import org.amo.cli.ExitCodes;
import org.amo.kv.KvClient;
import org.amo.kv.KvException;

/**
 * Threads that increment a counter each, and the ledger of their results: a result that is not the one before plus one was
 * lost, or ran twice.
 */
final class KvLoad {
    private final PrintWriter errors;
    private final int threads;
    private final Histogram micros = new ConcurrentHistogram(3);
    private final AtomicLong calls = new AtomicLong();
    private final AtomicLong wrong = new AtomicLong();
    private final AtomicLong unknown = new AtomicLong();
    private final AtomicLongArray callsOf;
    private final List<Thread> running = new ArrayList<>();
    private volatile long endNanos = Long.MAX_VALUE;

    /** @param errors for calls without a result */
    KvLoad(int threads, PrintWriter errors) {
        this.threads = threads;
        this.errors = errors;
        this.callsOf = new AtomicLongArray(threads);
    }

    /** Returns at once. */
    void start(KvClient client) {
        String run = Long.toHexString(ThreadLocalRandom.current().nextLong());
        for (int i = 0; i < threads; i++) {
            int thread = i;
            byte[] key = ("bench " + run + " " + i).getBytes(StandardCharsets.UTF_8);
            running.add(DaemonThreads.start(
                    "amo-kv-bench-" + i,
                    () -> count(thread, amount -> client.increment(key, amount).number())));
        }
    }

    /** Lets the threads go on until then, and waits for their last calls. */
    void awaitEnd(long nanos) throws InterruptedException {
        endNanos = nanos;
        for (Thread each : running) {
            each.join();
        }
    }

    /** Calls of each thread. */
    long[] callsOfThreads() {
        long[] all = new long[threads];
        for (int i = 0; i < threads; i++) {
            all[i] = callsOf.get(i);
        }
        return all;
    }

    long calls() {
        return calls.get();
    }

    /** A run without a call shows nothing. */
    int exitCode() {
        boolean good = calls.get() > 0 && wrong.get() == 0 && unknown.get() == 0;
        return good ? ExitCodes.OK : ExitCodes.CHECK_FAILED;
    }

    /** The same, and ends then. */
    void count(LongUnaryOperator increment, long end) {
        endNanos = end;
        count(0, increment);
    }

    /**
     * Each thread has a counter of its own, so each result tells the outcome of the call before; in the end, an increment by 0 that of
     * the last one.
     *
     * @param increment adds an amount to the counter, and answers its new number
     */
    private void count(int thread, LongUnaryOperator increment) {
        long expected = 0;
        try {
            while (endNanos == Long.MAX_VALUE || System.nanoTime() - endNanos < 0) {
                long start = System.nanoTime();
                long number = increment.applyAsLong(1);
                wrong.addAndGet(number == ++expected ? 0 : 1);
                expected = number;
                micros.recordValue((System.nanoTime() - start) / 1_000);
                calls.incrementAndGet();
                callsOf.incrementAndGet(thread);
            }
            wrong.addAndGet(increment.applyAsLong(0) == expected ? 0 : 1);
        } catch (KvException | MalformedFrameException e) {
            unknown.incrementAndGet();
            errors.println(e.getMessage());
        }
    }

    String text() {
        return calls + " increments, " + wrong + " wrong, " + unknown + " unknown";
    }

    String latencyText() {
        return "median " + micros.getValueAtPercentile(50) + " us, p99 " + micros.getValueAtPercentile(99)
                + " us, longest " + micros.getMaxValue() + " us";
    }

    void writeCounts(ObjectNode object) {
        object.put("calls", calls.get()).put("wrong", wrong.get()).put("unknown", unknown.get());
    }

    void writeLatency(ObjectNode object) {
        object.putObject("latencyMicros")
                .put("p50", micros.getValueAtPercentile(50))
                .put("p99", micros.getValueAtPercentile(99))
                .put("max", micros.getMaxValue());
    }
}
