package org.amo.replication.rpc;

import java.nio.ByteBuffer;
import org.amo.base.wire.AesGcm;

/**
 * Tells datagrams that came a moment ago by their tags, in an array of a fixed size: a later one may take the place of an earlier
 * one. This saves the order an entry for each repetition; safety rests on the decision table. One thread owns it.
 */
final class RepeatedDatagrams {
    private static final int SLOTS = 1 << 14;

    private final long[] tags = new long[SLOTS];

    /** Whether the sealed datagram came before, as far as remembered. It is remembered from now on. */
    boolean isRepeated(byte[] datagram) {
        long tag = ByteBuffer.wrap(datagram).getLong(datagram.length - AesGcm.TAG_BYTES);
        int slot = (int) (tag >>> 1) & SLOTS - 1;
        boolean came = tags[slot] == tag;
        tags[slot] = tag;
        return came;
    }
}
