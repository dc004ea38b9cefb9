package org.amo.replication.order.sequencer;

import org.jspecify.annotations.Nullable;

/** Holds the next acknowledgement of received entries for the others: one thread sets it, another waits for it. */
final class LatestAcknowledgement {

    /**
     * @param count entries received
     * @param hash of them all
     */
    record Received(long count, long hash) {}

    private @Nullable Received waiting;

    /** Replaces an acknowledgement that was not taken yet. */
    synchronized void set(long count, long hash) {
        waiting = new Received(count, hash);
        notifyAll();
    }

    /** Waits for something that was not taken before. */
    synchronized Received take() throws InterruptedException {
        while (waiting == null) {
            wait();
        }
        Received taken = waiting;
        waiting = null;
        return taken;
    }
}
