package org.amo.replication.order.raft;

import java.util.ArrayDeque;

/** Counts the entries that a follower has taken and not delivered, and their bytes. RAFT's thread owns it. */
final class Undelivered {
    private final int most;
    private final long mostBytes;
    private final ArrayDeque<Taken> taken = new ArrayDeque<>();
    private long delivered;
    private long bytes;

    private record Taken(long lastIndex, long bytes) {}

    Undelivered(int most, long mostBytes) {
        this.most = most;
        this.mostBytes = mostBytes;
    }

    /** Entries up to this index were appended. */
    void took(long lastIndex, long length) {
        taken.add(new Taken(lastIndex, length));
        bytes += length;
    }

    /** Entries from this index on were deleted. */
    void deleted(long firstIndex) {
        while (!taken.isEmpty() && taken.getLast().lastIndex >= firstIndex) {
            bytes -= taken.removeLast().bytes;
        }
    }

    /** All entries up to this index are delivered. */
    void delivered(long index) {
        delivered = index;
        while (!taken.isEmpty() && taken.getFirst().lastIndex <= index) {
            bytes -= taken.removeFirst().bytes;
        }
    }

    boolean isFull() {
        return !taken.isEmpty() && (bytes >= mostBytes || taken.getLast().lastIndex - delivered >= most);
    }
}
