package org.amo.dpg;

/**
 * The ContiguityDetector of section 3, between reception buffer and DPG: for consecutively received messages m and m' it
 * infers that m' was sent right after m, or only that it was sent later. It may be silent where it could speak; it must
 * not speak falsely. It sees all PDUs of the medium in the order of reception; only of messages the answer means anything.
 *
 * <p>One thread owns it.
 */
public interface ContiguityDetector {
    /**
     * Section 3.1, first: slow fetching is the only cause of a miss, and the buffer tells when a PDU was overwritten. Not for a medium
     * that loses PDUs by itself.
     */
    static ContiguityDetector ofOverwrites() {
        return new OverwriteDetector();
    }

    /** @return for a message: whether no message was sent between the one received before it and this one */
    boolean onReception(Arrival arrival);

    /**
     * A PDU taken from the reception buffer.
     *
     * @param isMessage or a report
     * @param overwrote whether the buffer lost a PDU since the last one was taken (section 3.1)
     * @param sentMicros by the sender's clock, where clocks are synchronised (section 3.2)
     * @param beganMicros when the first bit of it arrived
     * @param endedMicros when the last bit arrived
     */
    record Arrival(boolean isMessage, boolean overwrote, long sentMicros, long beganMicros, long endedMicros) {}
}
