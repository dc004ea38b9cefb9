package org.amo.exon;

/**
 * The effects that an {@link ExonNode} asks for. No effect may call back into the node: its result is another input.
 */
public interface ExonEffects {
    /** Sends a datagram. It may be lost. The array is not used again by the node. */
    void transmit(Address to, byte[] datagram);

    /** The same; a shell that encrypts needs to know for which node the datagram is. */
    default void transmit(NodeId node, Address to, byte[] datagram) {
        transmit(to, datagram);
    }

    /**
     * Gives a message to the shell, exactly once, in no particular order. The message is not acknowledged yet: the shell
     * answers by {@link ExonNode#onAccepted} when it counts as delivered, or by {@link ExonNode#onRefused} when it does not,
     * and by {@link ExonNode#onTaken} when its room is free again. Until then its sender has so many slots less.
     *
     * @param delivery names it
     */
    void deliver(MessageName delivery, byte[] message);

    /** Tells the outcome of the message that {@link ExonNode#send} got under this number. */
    void completed(long message, Outcome outcome);

    /** Stores on disk that all clock values below the bound may be in use; answered by {@link ExonNode#onClockReserved}. */
    void reserveClock(long bound);
}
