package org.amo.exon.udp;

import org.amo.exon.NodeId;

/**
 * Receives delivered messages: the application's side of an endpoint. The delivery thread calls it: a slow call holds the
 * senders back, and nothing is lost. With {@link ExonEndpointOptions#deliverInLoop} the event loop calls it. A message
 * counts as delivered when its call begins, even if the call throws.
 */
@FunctionalInterface
public interface ExonReceiver {
    /** A message came, exactly once, in no particular order. */
    void onMessage(NodeId from, byte[] message);

    /**
     * A request came, exactly once.
     *
     * @return the reply
     */
    default byte[] onRequest(NodeId from, byte[] request) {
        throw new UnsupportedOperationException("this node answers no requests");
    }
}
