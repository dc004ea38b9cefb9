package org.amo.replication;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How much waits between one thread that adds and one that does it. The first waits here while it is too much.
 *
 * <p>Invariant: who waits has seen, under the lock, that there is no room, and whoever makes room says so under it.
 */
final class Backlog {
    private final int most;
    private final AtomicInteger waiting = new AtomicInteger();
    private volatile boolean ended;

    Backlog(int most) {
        this.most = most;
    }

    void add(int count) {
        waiting.addAndGet(count);
    }

    void done(int count) {
        if (waiting.addAndGet(-count) < most) {
            synchronized (this) {
                notifyAll();
            }
        }
    }

    /** Returns at once from now on. */
    void end() {
        ended = true;
        synchronized (this) {
            notifyAll();
        }
    }

    /** Blocks while too much waits. Interrupted, it returns with the thread's mark set. */
    void awaitRoom() {
        if (waiting.get() < most) {
            return;
        }
        synchronized (this) {
            while (waiting.get() >= most && !ended) {
                try {
                    wait();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return;
                }
            }
        }
    }
}
