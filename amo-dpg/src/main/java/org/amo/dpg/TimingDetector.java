package org.amo.dpg;

/**
 * Infers contiguity if there was no time to send a message between two receptions (section 3.1, second). True on a
 * single-access medium with any losses, as long as no message is shorter than the shortest one assumed.
 */
final class TimingDetector implements ContiguityDetector {
    private final long shortestMicros;
    private long endedMicros;
    private boolean broken = true;

    /** @param shortestMicros time on the medium of the shortest 'message' PDU, gaps included */
    public TimingDetector(long shortestMicros) {
        if (shortestMicros < 1) {
            throw new IllegalArgumentException("shortestMicros must be positive: " + shortestMicros);
        }
        this.shortestMicros = shortestMicros;
    }

    @Override
    public boolean onReception(Arrival arrival) {
        broken |= arrival.beganMicros() - endedMicros >= shortestMicros;
        endedMicros = arrival.endedMicros();
        if (!arrival.isMessage()) {
            return false;
        }
        boolean contiguous = !broken;
        broken = false;
        return contiguous;
    }
}
