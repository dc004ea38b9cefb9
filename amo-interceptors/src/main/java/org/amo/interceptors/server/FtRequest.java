package org.amo.interceptors.server;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireReader;

/**
 * The FT_REQUEST service context of fault tolerant CORBA: an encapsulation of the client's id, the number of its
 * request and the time after which it will not ask again.
 *
 * @param clientId as ISO 8859-1, so that its bytes are kept in any encoding
 * @param retentionId signed in the IDL; its 32 bits are the number
 * @param expirationMillis the expiration time as milliseconds since 1970
 */
record FtRequest(String clientId, int retentionId, long expirationMillis) {
    /** 15 October 1582 to 1 January 1970, in the 100 ns units of a TimeT. */
    private static final long UNIX_EPOCH = 0x01B2_1DD2_1381_4000L;

    private static final int UNITS_PER_MILLI = 10_000;
    private static final int MAX_CLIENT_ID = 4_096;

    /** @throws MalformedFrameException naming the field that is wrong */
    static FtRequest decode(byte[] encapsulation) {
        ByteBuffer in = ByteBuffer.wrap(encapsulation);
        try {
            byte order = in.get();
            if (order != 0 && order != 1) {
                throw malformed("byte order", order);
            }
            in.order(order == 1 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
            int length = align(in, 4).getInt();
            if (length < 1 || length > MAX_CLIENT_ID || length > in.remaining()) {
                throw malformed("client_id length", length);
            }
            byte[] text = new byte[length - 1];
            in.get(text);
            byte end = in.get();
            if (end != 0) {
                throw malformed("end of client_id", end);
            }
            int retentionId = align(in, 4).getInt();
            long expiration = align(in, 8).getLong();
            long millis = (expiration - UNIX_EPOCH) / UNITS_PER_MILLI;
            if (expiration < UNIX_EPOCH || millis > WireReader.MAX_TIME_MILLIS) {
                throw malformed("expiration_time", expiration);
            }
            return new FtRequest(new String(text, StandardCharsets.ISO_8859_1), retentionId, millis);
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            throw new MalformedFrameException(
                    "FT_REQUEST context: " + encapsulation.length + " bytes end inside the field at " + in.position());
        }
    }

    /** Alignment counts from the start of the encapsulation. */
    private static ByteBuffer align(ByteBuffer in, int size) {
        return in.position(in.position() + size - 1 & -size);
    }

    private static MalformedFrameException malformed(String field, long value) {
        return new MalformedFrameException("FT_REQUEST context: field " + field + " is " + value);
    }
}
