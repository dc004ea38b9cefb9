package org.amo.core.door;

/**
 * Room for things that wait, limited by their number and by their bytes. One alone may have more bytes than the limit. Any
 * thread.
 */
public final class SharedRoom {
    private final int most;
    private final long mostBytes;

    // Guarded by this.
    private int count;
    private long bytes;

    /**
     * @param most of them, at least 1
     * @param mostBytes of all of them
     */
    public SharedRoom(int most, long mostBytes) {
        this.most = most;
        this.mostBytes = mostBytes;
    }

    /** Returns whether there was room, which {@link #leave} gives back. */
    public synchronized boolean enter(long length) {
        if (count >= most || (count > 0 && bytes + length > mostBytes)) {
            return false;
        }
        count++;
        bytes += length;
        return true;
    }

    public synchronized void leave(long length) {
        count--;
        bytes -= length;
    }
}
