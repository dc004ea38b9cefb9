package org.amo.replication.service;

import java.util.Arrays;
import org.amo.core.wire.WireReader;
import org.amo.core.wire.WireWriter;

/** What a reply's bytes say in the ordered group: the handler's reply, or what it threw. */
final class Payloads {
    private static final int REPLY = 0;
    private static final int THROWN = 1;
    private static final int MAX_TEXT = 1 << 16;
    private static final long FNV_PRIME = 0x100_0000_01B3L;

    private Payloads() {}

    static byte[] reply(byte[] reply) {
        byte[] bytes = new byte[reply.length + 1];
        bytes[0] = REPLY;
        System.arraycopy(reply, 0, bytes, 1, reply.length);
        return bytes;
    }

    static byte[] thrown(Exception thrown) {
        String message = thrown.getMessage() == null ? "" : thrown.getMessage();
        WireWriter writer = new WireWriter(64);
        writer.u8(THROWN);
        writer.text(thrown.getClass().getName());
        writer.text(message.substring(0, Math.min(message.length(), MAX_TEXT / 4)));
        return writer.toBytes();
    }

    /** @throws AmoServiceException when the handler threw */
    static byte[] open(byte[] bytes) {
        WireReader reader = new WireReader("reply", bytes);
        int kind = reader.u8("kind");
        if (kind == REPLY) {
            return Arrays.copyOfRange(bytes, 1, bytes.length);
        }
        if (kind != THROWN) {
            throw reader.malformed("kind", kind);
        }
        String type = reader.text("type", MAX_TEXT);
        String message = reader.text("message", MAX_TEXT);
        reader.end();
        throw new AmoServiceException(type, message);
    }

    /** FNV-1a of 64 bits over the bytes and their length, mixed once more, since FNV leaves the last ones in the low bits. */
    static long fingerprint(byte[] body) {
        long hash = 0xCBF2_9CE4_8422_2325L;
        for (byte next : body) {
            hash = (hash ^ (next & 0xFF)) * FNV_PRIME;
        }
        hash = (hash ^ body.length) * FNV_PRIME;
        hash = (hash ^ hash >>> 32) * 0x9E37_79B9_7F4A_7C15L;
        return hash ^ hash >>> 29;
    }
}
