package org.amo.replication.rpc;

import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Tells of clients' mistakes: at most five a minute, however many clients make them, and then how many were left out. The
 * transport's thread owns it.
 */
final class PeerMistakes {
    private static final long MINUTE_NANOS = 60_000_000_000L;
    private static final int A_MINUTE = 5;

    private final Consumer<String> log;
    private final LongSupplier nanoClock;
    private long minuteBegan;
    private int told;
    private long leftOut;

    /**
     * Tells them.
     *
     * @param log takes one line each
     */
    PeerMistakes(Consumer<String> log, LongSupplier nanoClock) {
        this.log = log;
        this.nanoClock = nanoClock;
        this.minuteBegan = nanoClock.getAsLong();
    }

    /** One mistake, in one line. */
    void warn(String line) {
        long now = nanoClock.getAsLong();
        if (now - minuteBegan >= MINUTE_NANOS) {
            minuteBegan = now;
            told = 0;
        }
        if (told == A_MINUTE) {
            leftOut++;
            return;
        }
        told++;
        log.accept(leftOut == 0 ? line : line + " (and " + leftOut + " more mistakes of clients before it)");
        leftOut = 0;
    }
}
