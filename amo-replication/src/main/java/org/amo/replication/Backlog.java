package org.amo.replication;

/**
 * Counts the waiting tasks and the bytes they hold. A producer asks for room and is told when there is some, or is blocked until
 * then. Any thread.
 */
final class Backlog {
    private final int most;
    private final long mostBytes;

    // Guarded by this.
    private int waiting;
    private long bytes;
    private boolean closed;
    private boolean open;
    private boolean bounded;
    private Runnable onRoom = () -> {};

    /**
     * @param most from so many waiting tasks on, {@link #awaitRoom} blocks
     * @param mostBytes the same for the bytes of all of them
     */
    Backlog(int most, long mostBytes) {
        this.most = most;
        this.mostBytes = mostBytes;
    }

    /** @param told called in the thread that makes room, each time when there was none before */
    synchronized void onRoom(Runnable told) {
        onRoom = told;
    }

    /** Does not wait: a batch that begins below the bound may end above it. */
    synchronized void add(int count, long length) {
        waiting += count;
        bytes += length;
    }

    void remove(int count, long length) {
        change(() -> {
            waiting -= count;
            bytes -= length;
        });
    }

    private void change(Runnable change) {
        Runnable told;
        synchronized (this) {
            boolean hadRoom = hasRoom();
            change.run();
            if (hadRoom || !hasRoom()) {
                return;
            }
            notifyAll();
            told = onRoom;
        }
        told.run();
    }

    synchronized boolean hasRoom() {
        return !isFull() || closed || (open && !bounded);
    }

    private boolean isFull() {
        return waiting >= most || (waiting > 0 && bytes >= mostBytes);
    }

    /** Returns when there is room. While it is open it returns at once, since a producer may have asked before {@link #bound}. */
    synchronized void awaitRoom() throws InterruptedException {
        while (!hasRoom() && !open) {
            wait();
        }
    }

    /** While it is open there is room, however many tasks wait: the awaited verdict comes the same way. */
    void open(boolean now) {
        change(() -> {
            open = now;
            bounded = false;
        });
    }

    /** Until the next {@link #open}: a producer that asks finds no room above the limits. No verdict is awaited any more. */
    synchronized void bound() {
        bounded = true;
    }

    /** No task runs any more: from now on there is room. */
    void close() {
        change(() -> closed = true);
    }
}
