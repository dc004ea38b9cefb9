package org.amo.exon;

/**
 * The effects that an {@link ExonNode} asks for. No effect may call back into the node: its result is another input.
 */
public interface ExonEffects {
    /** Sends a datagram. It may be lost. The array is not used again by the node. */
    void transmit(Address to, byte[] datagram);

    /**
     * Hands a message to the application, exactly once, in no particular order.
     *
     * @param units to return by {@link ExonNode#onTaken} once the application has taken the message; until then
     *     the receiver grants so many slots less
     */
    void deliver(NodeId from, byte[] message, int units);

    /** Tells the outcome of the message that {@link ExonNode#send} got under this number. */
    void completed(long message, Outcome outcome);

    /** Stores on disk that all clock values below the bound may be in use; answered by {@link ExonNode#onClockReserved}. */
    void reserveClock(long bound);
}
