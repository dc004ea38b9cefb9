package org.amo.benchmarks.exon;

import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * A sender on the left of a link and a receiver on the right, made for one turn and thrown away after it, so that no turn
 * inherits the estimates or the queues of an earlier one. It sends until it is closed.
 */
abstract class Flow implements AutoCloseable {
    private final LongAdder completed = new LongAdder();
    private final Recorder micros = new Recorder(3);
    private String failure = "";

    /** A message arrived, or a call was answered. */
    final void complete() {
        completed.increment();
    }

    /** A call was answered. */
    final void complete(long startNanos) {
        micros.recordValue((System.nanoTime() - startNanos) / 1_000);
        completed.increment();
    }

    /** Something was lost or refused that may not be; the first of it counts. */
    final synchronized void fail(String what) {
        if (failure.isEmpty()) {
            failure = what;
        }
    }

    /** Messages that arrived, or calls that were answered, so far. */
    final long completed() {
        return completed.sum();
    }

    /** Times of calls since this was asked last. */
    final Histogram intervalMicros() {
        return micros.getIntervalHistogram();
    }

    /** The first violation seen; empty for none. */
    final synchronized String failure() {
        return failure;
    }

    @Override
    public abstract void close();
}
