package org.amo.scmp;

/**
 * Timestamps of one sender: distinct and rising, whatever its clock does (section 2.2). A clock with coarse ticks is
 * continued by counting; after a step back the source counts on from where it was.
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

    public long lastMicros() {
        return lastMicros;
    }
}
