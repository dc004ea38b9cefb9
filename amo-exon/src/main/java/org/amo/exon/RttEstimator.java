package org.amo.exon;

/**
 * Round-trip time and the retry time that follows from it (RFC 6298, in microseconds). Karn's rule holds because every
 * transmission has a packet number of its own: a sample is taken only from the number that the peer names. One thread
 * owns it.
 */
final class RttEstimator {
    private static final long FIRST_RETRY = 200_000;
    private static final long GRANULARITY = 1_000;

    private long smoothed;
    private long variation;
    private long latest;

    /** @param delayMicros how long the peer held its answer back; never lets the sample fall below zero */
    void sample(long sentMicros, long nowMicros, long delayMicros) {
        long raw = Math.max(1, nowMicros - sentMicros);
        latest = delayMicros < raw ? raw - delayMicros : raw;
        if (smoothed == 0) {
            smoothed = latest;
            variation = latest / 2;
        } else {
            variation += (Math.abs(smoothed - latest) - variation) / 4;
            smoothed += (latest - smoothed) / 8;
        }
    }

    boolean known() {
        return smoothed > 0;
    }

    long smoothed() {
        return smoothed;
    }

    long latest() {
        return latest;
    }

    /** How long to wait for an answer before the first retry. */
    long retryMicros(long peerDelayMicros) {
        return known() ? smoothed + Math.max(GRANULARITY, 4 * variation) + peerDelayMicros : FIRST_RETRY;
    }
}
