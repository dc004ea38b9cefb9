package org.amo.exon.udp;

import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Warns of messages that no endpoint sends: once in ten seconds at most, and then how many warnings were left out. The thread
 * that delivers messages owns it.
 */
final class StrangeMessages {
    static final long PAUSE_NANOS = 10_000_000_000L;

    private final Consumer<String> log;
    private final LongSupplier nanoClock;
    private long warnedNanos;
    private long leftOut;

    /** @param log takes one line each */
    StrangeMessages(Consumer<String> log, LongSupplier nanoClock) {
        this.log = log;
        this.nanoClock = nanoClock;
        this.warnedNanos = nanoClock.getAsLong() - PAUSE_NANOS;
    }

    void dropped(String line) {
        long now = nanoClock.getAsLong();
        if (now - warnedNanos < PAUSE_NANOS) {
            leftOut++;
            return;
        }
        warnedNanos = now;
        log.accept(leftOut == 0 ? line : line + " (and " + leftOut + " more before it)");
        leftOut = 0;
    }
}
