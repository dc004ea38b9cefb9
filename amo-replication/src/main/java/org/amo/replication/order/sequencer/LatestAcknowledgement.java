package org.amo.replication.order.sequencer;

import org.jspecify.annotations.Nullable;

/** What the others should hear next of what was received here: one thread says it, another waits for it. */
final class LatestAcknowledgement {

    /**
     * @param count entries received
     * @param hash of them all
     */
    record Received(long count, long hash) {}

    private @Nullable Received waiting;

    /** In place of what nobody has taken yet. */
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
