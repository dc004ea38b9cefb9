package org.amo.core.reply;

import org.amo.base.ClientId;

/** Takes no reply: all of them stay on the heap, in the records of their clients. */
record HeapReplies(long mostHeapBytes) implements ReplyStore {
    static final ReplyStore UNLIMITED = new HeapReplies(Long.MAX_VALUE);

    @Override
    public boolean put(ClientId client, long number, byte[] reply) {
        return false;
    }

    @Override
    public byte[] get(ClientId client, long number) {
        throw new IllegalStateException("nothing is kept here: " + client + " " + number);
    }

    @Override
    public int remove(ClientId client, long number) {
        throw new IllegalStateException("nothing is kept here: " + client + " " + number);
    }

    @Override
    public void clear() {
        // There is nothing.
    }

    @Override
    public boolean isFull() {
        return false;
    }
}
