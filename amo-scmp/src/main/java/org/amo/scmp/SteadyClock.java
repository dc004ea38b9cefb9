package org.amo.scmp;

/**
 * Gives G.time on a machine with a wall clock that may step. The clock starts at wall time, follows the monotonic clock, and
 * is drawn towards the wall clock by at most 1/1000. It never runs backwards. A wall clock ahead by more than a second is
 * followed at once. One ahead by more than an hour is not: a wrong hour in stable storage would make the server refuse all
 * clients until that hour is over.
 *
 * <p>One thread owns it.
 */
public final class SteadyClock {
    static final long STEP_MICROS = 1_000_000;
    static final long BEYOND_BELIEF_MICROS = 3_600_000_000L;
    private static final int SLEW_DIVISOR = 1_000;

    private long baseMicros;
    private long baseNanos;
    private int slew;
    private long lastMicros;
    private long aheadMicros;

    /** @param leastMicros the first value if the wall clock is behind it */
    public SteadyClock(long leastMicros, long wallMicros, long monotonicNanos) {
        baseMicros = Math.max(leastMicros, wallMicros);
        baseNanos = monotonicNanos;
        lastMicros = baseMicros;
    }

    public long read(long wallMicros, long monotonicNanos) {
        long elapsed = (monotonicNanos - baseNanos) / 1_000;
        long now = baseMicros + elapsed + slew * elapsed / SLEW_DIVISOR;
        aheadMicros = wallMicros - now;
        if (aheadMicros > STEP_MICROS && aheadMicros <= BEYOND_BELIEF_MICROS) {
            now = wallMicros;
            rebase(now, monotonicNanos, 0);
        } else if (slew != Long.signum(aheadMicros) || elapsed > 60_000_000) {
            rebase(now, monotonicNanos, aheadMicros > STEP_MICROS ? 0 : Long.signum(aheadMicros));
        }
        lastMicros = Math.max(lastMicros, now);
        return lastMicros;
    }

    /** Whether the wall clock was too far ahead to be believed when it was last read. */
    public boolean disbelievesWall() {
        return aheadMicros > BEYOND_BELIEF_MICROS;
    }

    /** How far the wall clock was ahead when it was last read, before that was followed; negative for behind. */
    public long wallAheadMicros() {
        return aheadMicros;
    }

    /** The part of a microsecond that has begun stays ahead: dropped at each of many reads, it would slow the clock down. */
    private void rebase(long nowMicros, long monotonicNanos, int newSlew) {
        baseMicros = nowMicros;
        baseNanos = monotonicNanos - (monotonicNanos - baseNanos) % 1_000;
        slew = newSlew;
    }
}
