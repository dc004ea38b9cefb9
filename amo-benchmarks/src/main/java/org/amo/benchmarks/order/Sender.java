package org.amo.benchmarks.order;

import java.io.IOException;
import java.util.function.LongConsumer;

/** A member of a group that orders messages, as the load sees it. */
interface Sender extends AutoCloseable {

    /**
     * Joins.
     *
     * @param completed receives the sequence number of each message of this member once it was delivered here, or once
     *     its result came back; from any thread
     */
    void start(LongConsumer completed) throws Exception;

    /**
     * Sends a message to be ordered; never blocks for long.
     *
     * @param sequence unique for this member
     * @param payload to order; its first bytes are the sender's to overwrite
     */
    void send(long sequence, byte[] payload) throws Exception;

    /** Messages that were refused and had to be sent again, so far. */
    long repeats();

    /** Whether this member orders for the others, where that is known; the member that a fair comparison starts from. */
    boolean leads();

    @Override
    void close() throws IOException;
}
