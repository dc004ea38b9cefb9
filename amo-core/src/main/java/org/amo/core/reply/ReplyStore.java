package org.amo.core.reply;

import org.amo.base.ClientId;

/**
 * Where replies are kept, if not beside their live entries on the heap. Which of them it takes is a local
 * matter: no decision asks it, and no reply is ever dropped for lack of room. One thread uses it.
 */
public interface ReplyStore {
    /** Takes nothing: every reply stays on the heap, which has room for all. */
    static ReplyStore heap() {
        return HeapReplies.UNLIMITED;
    }

    /**
     * Takes a reply.
     *
     * @param number of the request; negative for one of a foreign client
     * @return false when it has no room; the reply then stays on the heap
     */
    boolean put(ClientId client, long number, byte[] reply);

    /** A reply that was taken and not removed. */
    byte[] get(ClientId client, long number);

    /**
     * Removes a reply that was taken.
     *
     * @return its length
     */
    int remove(ClientId client, long number);

    /** A reply that was not taken is needed no more. */
    default void forgotten(int bytes) {}

    /** Removes all. */
    void clear();

    /** Whether this member should order no more new requests until some of the replies have gone. */
    boolean isFull();

    /**
     * How many bytes of replies the heap may hold. The replica refuses new requests of a client if its replies take more
     * than the rest: the length of a reply is known only when its request has run, so no decision can charge it.
     */
    default long mostHeapBytes() {
        return Long.MAX_VALUE;
    }

    /** Gives its memory back; from then on it takes nothing. */
    default void close() {}
}
