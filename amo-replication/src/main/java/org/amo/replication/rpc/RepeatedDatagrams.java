package org.amo.replication.rpc;

import java.nio.ByteBuffer;
import org.amo.base.wire.AesGcm;

/**
 * Tells datagrams that came a moment ago by their tags, in an array of a fixed size: sets of four tags, in which a new one takes the
 * place of the one that came longest ago. This saves the order an entry for each repetition; safety rests on the decision table.
 * One thread owns it.
 */
final class RepeatedDatagrams {
    private static final int SETS = 1 << 12;

    /** With one place for each, recordings that share it by chance would make room for each other for ever. */
    private static final int PLACES = 4;

    private final long[] tags = new long[SETS * PLACES];

    /** Whether the sealed datagram came before, as far as remembered. It is remembered from now on. */
    boolean isRepeated(byte[] datagram) {
        long tag = ByteBuffer.wrap(datagram).getLong(datagram.length - AesGcm.TAG_BYTES);
        int first = ((int) (tag >>> 1) & SETS - 1) * PLACES;
        long moved = tag;
        for (int place = first; place < first + PLACES; place++) {
            long was = tags[place];
            tags[place] = moved;
            if (was == tag) {
                return true;
            }
            moved = was;
        }
        return false;
    }
}
