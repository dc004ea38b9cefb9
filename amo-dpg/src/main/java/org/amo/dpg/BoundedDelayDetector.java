package org.amo.dpg;

/**
 * Infers contiguity from bounded delays (section 3.2). Messages are received in the order of their send times, each once the
 * bound has passed since then. Contiguity is inferred while all delays seen stayed within the bound, and delays were seen
 * often enough. This detector can be wrong: it does not foresee a message that alone is late, from a site of which no other
 * PDU was heard. Messages sent before this site listened may have come before then: no contiguity is inferred from them.
 */
final class BoundedDelayDetector implements ContiguityDetector {
    private final long boundMicros;
    private final long probeMicros;
    private final long sinceMicros;
    private long latestSentMicros = Long.MIN_VALUE;
    private long seenMicros = Long.MIN_VALUE / 2;
    private boolean broken = true;

    /**
     * @param boundMicros the delay that is hardly ever exceeded
     * @param probeMicros longest time without a PDU in which delays count as known
     * @param sinceMicros when this site began to listen
     */
    public BoundedDelayDetector(long boundMicros, long probeMicros, long sinceMicros) {
        if (boundMicros < 1 || probeMicros < 1) {
            throw new IllegalArgumentException(
                    "bound and probe must be positive: bound=" + boundMicros + " probe=" + probeMicros);
        }
        this.boundMicros = boundMicros;
        this.probeMicros = probeMicros;
        this.sinceMicros = sinceMicros;
    }

    /** A PDU arrived, perhaps too late to be received in its place. */
    public void onDelay(long sentMicros, long arrivedMicros) {
        broken |= arrivedMicros - sentMicros > boundMicros || arrivedMicros - seenMicros > probeMicros;
        seenMicros = Math.max(seenMicros, arrivedMicros);
    }

    @Override
    public boolean onReception(Arrival arrival) {
        broken |= arrival.overwrote() || arrival.endedMicros() - arrival.sentMicros() > boundMicros;
        if (!arrival.isMessage()) {
            return false;
        }
        boolean contiguous = !broken && latestSentMicros >= sinceMicros;
        broken = false;
        latestSentMicros = arrival.sentMicros();
        return contiguous;
    }
}
