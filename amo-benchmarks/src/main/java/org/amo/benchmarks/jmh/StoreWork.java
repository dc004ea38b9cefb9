package org.amo.benchmarks.jmh;

import java.nio.ByteBuffer;
import org.amo.benchmarks.LoopReplica;
import org.amo.core.request.ClientId;

/** What all stores are given to keep. */
final class StoreWork {
    static final int REPLY_BYTES = LoopReplica.REPLY_BYTES;

    private StoreWork() {}

    /** Client and number as one key of 24 bytes, for stores that know neither. */
    static byte[] key(ClientId client, long number) {
        return ByteBuffer.allocate(24)
                .putLong(client.high())
                .putLong(client.low())
                .putLong(number)
                .array();
    }
}
