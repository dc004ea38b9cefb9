package org.amo.replication.store;

import org.amo.base.ClientId;
import org.amo.core.reply.ReplyStore;

/** Replies on the heap while they are few, and those beyond in another store. Which are where is a local matter. */
final class SpilledReplies implements ReplyStore {
    private final long heapBytes;
    private final ReplyStore beyond;
    private final long mostBytes;
    private long onHeap;

    /** @param heapBytes of replies that stay on the heap */
    SpilledReplies(long heapBytes, ReplyStore beyond) {
        this(heapBytes, beyond, Long.MAX_VALUE);
    }

    /** @param mostBytes of replies, above which a client that has more than the rest of them gets no new requests ordered */
    SpilledReplies(long heapBytes, ReplyStore beyond, long mostBytes) {
        this.heapBytes = heapBytes;
        this.beyond = beyond;
        this.mostBytes = mostBytes;
    }

    @Override
    public boolean put(ClientId client, long number, byte[] reply) {
        if (onHeap + reply.length > heapBytes && beyond.put(client, number, reply)) {
            return true;
        }
        onHeap += reply.length;
        return false;
    }

    @Override
    public byte[] get(ClientId client, long number) {
        return beyond.get(client, number);
    }

    @Override
    public int remove(ClientId client, long number) {
        return beyond.remove(client, number);
    }

    @Override
    public void forgotten(int bytes) {
        onHeap -= bytes;
        if (onHeap <= heapBytes) {
            beyond.forgotten(bytes);
        }
    }

    @Override
    public void clear() {
        onHeap = 0;
        beyond.clear();
    }

    @Override
    public boolean isFull() {
        return beyond.isFull();
    }

    @Override
    public long mostHeapBytes() {
        return mostBytes;
    }

    @Override
    public void close() {
        beyond.close();
    }

    /** Replies that are on the heap now. */
    public long heapBytes() {
        return onHeap;
    }
}
