package org.amo.replication.store;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Lets one warning a minute through: a full disk that takes some replies and not others changes with every request. */
final class MinuteLimit {
    private static final long PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final LongSupplier nanos;
    private long dueNanos;

    /** @param nanos a clock, as {@link System#nanoTime} */
    MinuteLimit(LongSupplier nanos) {
        this.nanos = nanos;
        dueNanos = nanos.getAsLong();
    }

    /** Whether to warn now; the next minute is silent then. */
    boolean pass() {
        long now = nanos.getAsLong();
        if (now - dueNanos < 0) {
            return false;
        }
        dueNanos = now + PAUSE_NANOS;
        return true;
    }
}
