package org.amo.replication.order.raft;

/**
 * Limits the messages that wait for RAFT's thread. A message beyond the limit is dropped, and RAFT sends its content again:
 * a thread that reads from the network must not wait for a disk or a servant of this member, since flow control would then
 * stop the whole group (docs/decisions/0097-a-member-that-stands-still.md). Thread-safe.
 */
final class InboundMessages {
    /** With the submissions that {@link Admission} lets in below {@link GuardedRaft#QUEUE}: own tasks find room there. */
    static final int MOST = 8_192;

    private final long mostBytes;

    // Guarded by this.
    private int messages;
    private long bytes;

    /** @param mostBytes of all messages; one alone may be longer */
    InboundMessages(long mostBytes) {
        this.mostBytes = mostBytes;
    }

    /** @return false: drop it */
    synchronized boolean enter(long length) {
        if (messages >= MOST || (messages > 0 && bytes + length > mostBytes)) {
            return false;
        }
        messages++;
        bytes += length;
        return true;
    }

    synchronized void leave(long length) {
        messages--;
        bytes -= length;
    }

    /** RAFT was stopped, and forgets what waited. */
    synchronized void clear() {
        messages = 0;
        bytes = 0;
    }
}
