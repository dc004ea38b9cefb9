package org.amo.replication.order.raft;

/**
 * How much one leadership has taken on and not yet committed. Kept below RAFT's processing queue,
 * beyond which a request fails without telling whether it was ordered. Thread-safe.
 */
final class Admission {
    static final int MAX_ENTRIES = 8_192;
    static final long MAX_BYTES = 128L << 20;

    private int entries;
    private long bytes;

    synchronized boolean enter(int length) {
        if (entries >= MAX_ENTRIES || (bytes + length > MAX_BYTES && entries > 0)) {
            return false;
        }
        entries++;
        bytes += length;
        return true;
    }

    synchronized void leave(int length) {
        entries--;
        bytes -= length;
    }
}
