package org.amo.replication.order.raft;

import java.util.function.LongSupplier;

/**
 * Keeps the cuts of a log to a three-hundredth of the time. A cut writes the rest of the log anew while its thread orders nothing, and
 * snapshots may come every second. One thread.
 */
final class CutPace {
    private static final long TIMES_THE_COST = 300;

    private final LongSupplier nanoTime;
    private long endNanos;

    /** Of the last cut; 0 before the first one. */
    private long costNanos;

    /** @param nanoTime as {@link System#nanoTime} */
    CutPace(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Cuts now, or leaves it to a later snapshot. */
    void run(Runnable cut) {
        long began = nanoTime.getAsLong();
        if (costNanos > 0 && began - endNanos < TIMES_THE_COST * costNanos) {
            return;
        }
        cut.run();
        endNanos = nanoTime.getAsLong();
        costNanos = Math.max(1, endNanos - began);
    }
}
