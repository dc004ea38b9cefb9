package org.amo.core.reply;

import java.util.function.LongFunction;

/**
 * The memory of client records: where their replies go, and how shares of budgets are kept.
 *
 * @param hashSeed of tables of clients and principals: anything that they cannot guess; no decision depends on it
 * @param replies where replies go
 * @param rows where the rows of idle own clients go
 * @param shares makes empty ones from the seed
 * @param mostRecordBytes of the heap that records may take here, without their replies. The budgets of a group are the same for members
 *     with any heap, so this member takes no request of a client that goes beyond its own
 */
public record RecordMemory(
        long hashSeed, ReplyStore replies, RowPages rows, LongFunction<Shares> shares, long mostRecordBytes) {

    /** For a heap that has room for all records. */
    public RecordMemory(long hashSeed, ReplyStore replies, RowPages rows, LongFunction<Shares> shares) {
        this(hashSeed, replies, rows, shares, Long.MAX_VALUE);
    }

    /** Everything on the heap, which has room for it. */
    public static RecordMemory heap(long hashSeed) {
        return heap(hashSeed, Long.MAX_VALUE, Long.MAX_VALUE);
    }

    /**
     * Everything on the heap.
     *
     * @param mostReplyBytes see {@link ReplyStore#mostHeapBytes}
     * @param mostRecordBytes as in a record of this class
     */
    public static RecordMemory heap(long hashSeed, long mostReplyBytes, long mostRecordBytes) {
        return new RecordMemory(hashSeed, new HeapReplies(mostReplyBytes), RowPages.HEAP, Shares::new, mostRecordBytes);
    }

    /** Whether this member should order no more new requests until there is room again. */
    public boolean isFull() {
        return replies.isFull() || rows.isFull();
    }

    /** The content belongs to records that are not used any more. */
    public void clear() {
        replies.clear();
        rows.clear();
    }

    /** Gives the memory back; nothing is kept here any more. */
    public void close() {
        replies.close();
        rows.close();
    }

    /** No records of own clients. */
    public ClientRecords newClientRecords() {
        return new ClientRecords(hashSeed, replies, rows, shares.apply(hashSeed));
    }

    /** No records of foreign clients. */
    public ForeignRecords newForeignRecords() {
        return new ForeignRecords(replies, shares.apply(hashSeed));
    }
}
