package org.amo.replication;

/** Counts the waiting tasks and the bytes they hold, and blocks producers while there is no room. Any thread. */
final class Backlog {
    private final int most;
    private final long mostBytes;

    // Guarded by this.
    private int waiting;
    private long bytes;
    private boolean closed;
    private boolean open;

    /**
     * @param most from so many waiting tasks on, {@link #awaitRoom} blocks
     * @param mostBytes the same for the bytes of all of them
     */
    Backlog(int most, long mostBytes) {
        this.most = most;
        this.mostBytes = mostBytes;
    }

    /** Does not wait: a batch that begins below the bound may end above it. */
    synchronized void add(int count, long length) {
        waiting += count;
        bytes += length;
    }

    synchronized void remove(int count, long length) {
        waiting -= count;
        bytes -= length;
        if (!isFull()) {
            notifyAll();
        }
    }

    /** Returns when there is room, or the backlog is open or closed. */
    synchronized void awaitRoom() throws InterruptedException {
        while (isFull() && !closed && !open) {
            wait();
        }
    }

    private boolean isFull() {
        return waiting >= most || (waiting > 0 && bytes >= mostBytes);
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
