package org.amo.exon.udp;

import org.amo.base.Stable;

/** The moment at which a message counts as delivered, so that its sender may hear DELIVERED. The receiver chooses it. */
@Stable
public enum DeliveredAt {
    /**
     * The receiver's {@link ExonReceiver#onMessage} has returned normally, or {@link ExonReceiver#onRequest} has returned or
     * thrown: the default. If onMessage throws, the outcome is UNKNOWN at once. If the process ends before it returns, the
     * outcome is UNKNOWN, and no later process gets the message.
     */
    HAND_OVER,

    /**
     * The message is on the receiver's disk, forced. It is handed over later, in this process or the next, until onMessage
     * returns normally: see {@link ExonEndpointOptions.Builder#durableInbox}. Replies to requests count at hand-over.
     */
    DURABLE_INBOX,

    /**
     * The receiver's process has the message in memory. Fast, and the acknowledgement says only that: if the process ends,
     * messages that were reported DELIVERED are lost.
     */
    RECEIPT
}
