package org.amo.exon.udp;

import org.amo.exon.NodeId;

/**
 * Receives delivered messages: the application's side of an endpoint. The delivery thread calls it: a slow call holds the
 * senders back, and nothing is lost. With {@link ExonEndpointOptions.Builder#deliverInLoop} the event loop calls it. A message
 * counts as delivered when its call begins, even if the call throws.
 */
@FunctionalInterface
public interface ExonReceiver {
    /** A message came, exactly once, in no particular order. */
    void onMessage(NodeId from, byte[] message);

    /**
     * A request came, exactly once. If it throws, or its reply is too long for a message, the requester gets an {@link
     * ExonException} with outcome DELIVERED and the first 1,000 characters of the cause. A reply that cannot be sent within 60 s is
     * lost, and the request ends as unknown.
     *
     * @return the reply, not null
     */
    default byte[] onRequest(NodeId from, byte[] request) {
        throw new UnsupportedOperationException("this node answers no requests");
    }
}
