package org.amo.replication;

/** Counts the waiting tasks, and blocks producers while there is no room. Any thread. */
final class Backlog {
    private final int most;

    // Guarded by this.
    private int waiting;
    private boolean closed;
    private boolean open;

    /** @param most from so many waiting tasks on, {@link #awaitRoom} blocks */
    Backlog(int most) {
        this.most = most;
    }

    /** Does not wait: a batch that begins below the bound may end above it. */
    synchronized void add(int count) {
        waiting += count;
    }

    synchronized void remove(int count) {
        waiting -= count;
        if (waiting < most) {
            notifyAll();
        }
    }

    /** Returns when there is room, or the backlog is open or closed. */
    synchronized void awaitRoom() throws InterruptedException {
        while (waiting >= most && !closed && !open) {
            wait();
        }
    }

    /** While it is open, no producer waits, however many tasks do: the awaited verdict comes the same way. */
    synchronized void open(boolean now) {
        open = now;
        notifyAll();
    }

    /** No task runs any more: from now on, no producer waits. */
    synchronized void close() {
        closed = true;
        notifyAll();
    }
}
