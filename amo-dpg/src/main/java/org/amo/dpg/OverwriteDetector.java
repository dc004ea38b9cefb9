package org.amo.dpg;

/**
 * Section 3.1, first: slow fetching is the only cause of a miss, and the buffer tells when a PDU was overwritten. With
 * several buffers the bit stays set until the next message was taken. False on a medium that loses PDUs by itself.
 */
final class OverwriteDetector implements ContiguityDetector {
    private boolean broken = true;

    @Override
    public boolean onReception(Arrival arrival) {
        broken |= arrival.overwrote();
        if (!arrival.isMessage()) {
            return false;
        }
        boolean contiguous = !broken;
        broken = false;
        return contiguous;
    }
}
