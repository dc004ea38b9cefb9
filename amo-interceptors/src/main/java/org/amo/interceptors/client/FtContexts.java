package org.amo.interceptors.client;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.amo.base.ClientId;

/**
 * The service contexts of FT-CORBA, as bytes: a server that knows nothing of amo can still recognise a repeated
 * request. Both are CDR encapsulations; all but the numbers of a call is the same in every request of a client.
 */
final class FtContexts {
    static final int FT_GROUP_VERSION = 12;
    static final int FT_REQUEST = 13;

    /** CORBA's time (TimeBase::TimeT) counts 100 ns from 15 October 1582. */
    private static final long EPOCH_OFFSET = 122_192_928_000_000_000L;

    private static final int RETENTION_ID = 44;
    private static final int EXPIRATION_TIME = 48;

    private final byte[] request;

    FtContexts(ClientId client) {
        byte[] id = client.toString().getBytes(StandardCharsets.US_ASCII);
        // Octet order 0 and padding, the string with its final zero at 4, the long at 44, the TimeT at 48.
        request =
                ByteBuffer.allocate(56).putInt(0).putInt(id.length + 1).put(id).array();
    }

    /** FTRequestServiceContext: {string client_id; long retention_id; TimeT expiration_time}. */
    byte[] request(long number, long deadlineMillis) {
        byte[] bytes = request.clone();
        ByteBuffer.wrap(bytes)
                .putInt(RETENTION_ID, (int) number)
                .putLong(EXPIRATION_TIME, deadlineMillis * 10_000 + EPOCH_OFFSET);
        return bytes;
    }

    /** FTGroupVersionServiceContext: {unsigned long object_group_ref_version}. */
    static byte[] groupVersion(int version) {
        return ByteBuffer.allocate(8).putInt(0).putInt(version).array();
    }
}
