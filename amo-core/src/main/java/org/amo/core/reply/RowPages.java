package org.amo.core.reply;

import java.nio.ByteBuffer;

/**
 * Holds the rows of clients in pages of equal size that are never given back one by one. The rows are most of the cost of
 * idle clients, and are seldom looked at, so that they may lie in a file. One thread uses it.
 */
public interface RowPages {
    /** On the heap. */
    RowPages HEAP = ByteBuffer::allocate;

    /** A page of so many bytes, always the same number; its content does not matter. */
    ByteBuffer page(int bytes);

    /** Whether this member should order no more new requests, since the pages of new clients go to the heap meanwhile. */
    default boolean isFull() {
        return false;
    }

    /** No page that was given out is used any more. */
    default void clear() {}

    /** Gives its memory back; nothing is used any more. */
    default void close() {}
}
