package org.amo.dpg;

/**
 * Computes the time that a site's cycles run by, from the site's clock.
 *
 * <p>Section 4: a local clock controls the cycles, and reports synchronise the clocks' rates: with {@link #setRate} the time
 * runs at the rate of the group's clocks. Section 6: clocks "prove not accurate enough", so that the cycles may be "expressed
 * in terms of the number of 'message' PDUs received": then each message is worth {@code messageMicros}, and the clock counts
 * only while no message has come for {@code idleMicros}, or else a silent group would stand still.
 *
 * <p>With neither, the time equals the clock.
 */
final class CycleClock {
    private final long messageMicros;
    private final long idleMicros;
    private long clockMicros;
    private long micros;
    private long messageAtMicros;
    private double rate;
    private double remainder;

    /** @param messageMicros 0 for the clock alone */
    CycleClock(long messageMicros, long idleMicros, long clockMicros) {
        this.messageMicros = messageMicros;
        this.idleMicros = idleMicros;
        this.clockMicros = clockMicros;
        this.micros = clockMicros;
        this.messageAtMicros = clockMicros;
    }

    boolean countsMessages() {
        return messageMicros > 0;
    }

    long micros() {
        return micros;
    }

    /** @return the time of an input */
    long onInput(long nowMicros) {
        long elapsed = nowMicros - (countsMessages() ? Math.max(clockMicros, idleFromMicros()) : clockMicros);
        if (!countsMessages() || elapsed > 0) {
            remainder += elapsed * rate;
            long whole = (long) remainder;
            remainder -= whole;
            micros += elapsed + whole;
        }
        clockMicros = nowMicros;
        return micros;
    }

    /** @return the time after it */
    long onMessage() {
        micros += messageMicros;
        messageAtMicros = clockMicros;
        return micros;
    }

    /** @param millionths by which the time runs faster than the clock from now on */
    void setRate(double millionths) {
        rate = millionths / 1e6;
    }

    /** When the clock shows that this time has come, if no message comes before. */
    long toClock(long atMicros) {
        if (atMicros == Long.MAX_VALUE) {
            return atMicros;
        }
        long ahead = atMicros - micros;
        long from = countsMessages() && ahead > 0 ? Math.max(clockMicros, idleFromMicros()) : clockMicros;
        return from + (rate == 0 ? ahead : (long) Math.ceil(ahead / (1 + rate)));
    }

    private long idleFromMicros() {
        return messageAtMicros + idleMicros;
    }
}
