package org.amo.scmp;

/**
 * Gives the timestamps of one sender: distinct and rising, even if its clock steps or stands still (section 2.2). Between
 * the ticks of a coarse clock the source counts; after a step back it counts on from its last value.
 *
 * <p>One thread owns it. Nothing survives a crash: a restarted sender takes a new module id.
 */
public final class TimestampSource {
    private long lastMicros;

    /** @param clockMicros the sender's clock */
    public long next(long clockMicros) {
        lastMicros = Math.max(lastMicros + 1, clockMicros);
        return lastMicros;
    }

    /** From now on greater than this. */
    public void raise(long micros) {
        lastMicros = Math.max(lastMicros, micros);
    }
}
