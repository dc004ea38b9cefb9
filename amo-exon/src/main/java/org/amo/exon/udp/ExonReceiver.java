package org.amo.exon.udp;

import org.amo.exon.NodeId;

/**
 * Receives messages: the application's side of an endpoint. The delivery thread calls it, for one message at a time: a slow
 * call holds the senders back, and nothing is lost. With {@link ExonEndpointOptions.Builder#deliverInLoop} the event loop
 * calls it.
 *
 * <p>{@link DeliveredAt} says when a message counts as delivered; by default, when its call has returned normally. So a call
 * must not wait for the outcome of a message that it sends: two nodes whose calls do so wait for each other.
 */
@FunctionalInterface
public interface ExonReceiver {
    /**
     * A message came, exactly once, in no particular order. If the call throws, the message counts as perhaps done: its sender
     * hears UNKNOWN, unless it was DELIVERED at receipt, and no call follows. With a durable inbox see {@link #onKept}.
     */
    void onMessage(NodeId from, byte[] message);

    /**
     * A message of the durable inbox. It comes exactly once, with these exceptions. If the process ends during the call, or
     * between its return and the note of it, the message comes again to the next process, with the same position. A loss of
     * power may repeat as many messages as were handed over since the last write to disk. If the call throws, the message comes
     * again after a pause, and those behind it wait.
     *
     * <p>The calls are made in the order of positions. An application that keeps the last position in the transaction that
     * makes the message's changes, and skips messages up to it, does each message once.
     *
     * @param position of the message in the inbox: its id. Positions rise, with gaps, also if the inbox is lost and the node's clock
     *     is not
     */
    default void onKept(long position, NodeId from, byte[] message) {
        onMessage(from, message);
    }

    /**
     * A request came, exactly once; from a durable inbox it may come again as in {@link #onKept}. If it throws, or its reply is too long for a message, the requester gets an {@link
     * ExonException} with outcome DELIVERED and the first 1,000 characters of the cause. A reply that cannot be sent within 60 s is
     * lost, and the request ends as unknown.
     *
     * @return the reply, not null
     */
    default byte[] onRequest(NodeId from, byte[] request) {
        throw new UnsupportedOperationException("this node answers no requests");
    }
}
