package org.amo.replication.store;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.amo.base.ClientId;

/** The CRC32C of a reply and of the request that it belongs to: a disk may return other bytes, or those of another reply. */
final class ReplyChecksum {
    private static final int KEY_BYTES = 3 * Long.BYTES;

    private ReplyChecksum() {}

    /** @param length of the reply, which begins the bytes */
    static int of(ClientId client, long number, byte[] bytes, int length) {
        ByteBuffer key = ByteBuffer.allocate(KEY_BYTES);
        key.putLong(client.high()).putLong(client.low()).putLong(number).flip();
        CRC32C crc = new CRC32C();
        crc.update(key);
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }
}
