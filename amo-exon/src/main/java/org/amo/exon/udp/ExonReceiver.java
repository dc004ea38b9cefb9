package org.amo.exon.udp;

import org.amo.exon.NodeId;

/**
 * The application's side of an endpoint. Called by the delivery thread: a call that takes its time holds the senders
 * back, and nothing is lost by it. With {@link ExonEndpointOptions#deliverInLoop} it is called by the event loop. A message
 * counts as delivered when its call begins, whatever the call throws.
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
