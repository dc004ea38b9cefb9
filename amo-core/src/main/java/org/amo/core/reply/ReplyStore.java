package org.amo.core.reply;

import org.amo.core.request.ClientId;

/**
 * Where replies of own clients are kept, if not beside their live entries on the heap. Which of them it takes is a local
 * matter: no decision asks it, and no reply is ever dropped for lack of room. One thread uses it.
 */
public interface ReplyStore {
    /** Takes nothing: every reply stays on the heap, in the record of its client. */
    ReplyStore HEAP = new ReplyStore() {
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
    };

    /**
     * Takes a reply.
     *
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

    /** Gives its memory back; from then on it takes nothing. */
    default void close() {}
}
