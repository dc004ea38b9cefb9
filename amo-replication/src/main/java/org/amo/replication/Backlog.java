package org.amo.replication;

/** How much waits to be done, and where those who bring more wait for room. Any thread. */
final class Backlog {
    private final int most;

    // Guarded by this.
    private int waiting;
    private boolean closed;
    private boolean open;

    /** @param most room for so many; who comes while so many wait, waits too */
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

    /** Returns when there is room, or nobody makes any more. */
    synchronized void awaitRoom() throws InterruptedException {
        while (waiting >= most && !closed && !open) {
            wait();
        }
    }

    /** While it is open, nobody waits, however much does: what is waited for comes by the same way. */
    synchronized void open(boolean now) {
        open = now;
        notifyAll();
    }

    /** Nothing is done any more: nobody waits from now on. */
    synchronized void close() {
        closed = true;
        notifyAll();
    }
}
