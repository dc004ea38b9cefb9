package org.amo.replication.rpc;

import java.util.concurrent.Executor;

/**
 * Counts the bytes that the requests of all connections hold, and those of them whose connections have ended, against one
 * limit. Each count is full from the limit on until an eighth of it is free: the end of a shortage visits all connections,
 * and must not come with each small request.
 *
 * <p>One thread owns it.
 */
final class HeldBytes {
    private final long limit;
    private final Executor loop;
    private final Runnable onFree;
    private long held;
    private long heldByEnded;
    private boolean full;
    private boolean fullOfEnded;
    private boolean queued;

    /** @param loop of the thread that owns this; runs {@code onFree} after a shortage */
    HeldBytes(long limit, Executor loop, Runnable onFree) {
        this.limit = limit;
        this.loop = loop;
        this.onFree = onFree;
    }

    long limit() {
        return limit;
    }

    /** So many bytes more are held than before. */
    void add(long more) {
        held += more;
        full = isFull(held, full);
    }

    /** So many of them more belong to requests of connections that have ended. */
    void addEnded(long more) {
        heldByEnded += more;
        fullOfEnded = isFull(heldByEnded, fullOfEnded);
    }

    boolean isFull() {
        return full;
    }

    /** Requests whose connections have ended hold as much as all may. */
    boolean isFullOfEnded() {
        return fullOfEnded;
    }

    private boolean isFull(long bytes, boolean before) {
        boolean now = bytes >= (before ? limit - limit / 8 : limit);
        if (before && !now && !queued) {
            queued = true;
            loop.execute(() -> {
                queued = false;
                onFree.run();
            });
        }
        return now;
    }
}
