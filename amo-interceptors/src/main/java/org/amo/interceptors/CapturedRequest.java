package org.amo.interceptors;

import org.amo.core.wire.WireReader;
import org.amo.core.wire.WireWriter;

/**
 * A CORBA request as the ordered log carries it: what a servant's skeleton needs to run it at any member
 * (docs/wire/corba-body.md). The arrays are not copied: do not change them.
 *
 * @param littleEndian byte order of {@code body}
 * @param giopMinor GIOP 1.x: decides how wide characters are read
 * @param pad bytes that stood between the last multiple of eight and the body, so that its alignment survives; 0 to 7
 * @param charCodeSet OSF registry number of the code set for char
 * @param wcharCodeSet the same for wchar; 0 when none was agreed
 * @param operation IDL operation, or {@code _get_} and {@code _set_} with an attribute
 * @param objectKey of the target, as in its reference
 * @param body the arguments, exactly as long as they were sent
 */
public record CapturedRequest(
        boolean littleEndian,
        int giopMinor,
        int pad,
        int charCodeSet,
        int wcharCodeSet,
        String operation,
        byte[] objectKey,
        byte[] body) {

    private static final int VERSION = 1;
    private static final int MAX_NAME = 1 << 16;
    private static final int MAX_BODY = 1 << 30;

    /** The request's bytes. */
    public byte[] encode() {
        WireWriter writer = new WireWriter(32 + operation.length() + objectKey.length + body.length);
        writer.u8(VERSION);
        writer.u8(littleEndian ? 1 : 0);
        writer.u8(giopMinor);
        writer.u8(pad);
        writer.i32(charCodeSet);
        writer.i32(wcharCodeSet);
        writer.text(operation);
        writer.blob(objectKey);
        writer.blob(body);
        return writer.toBytes();
    }

    /** @throws org.amo.core.wire.MalformedFrameException naming the field that is wrong */
    public static CapturedRequest decode(byte[] bytes) {
        WireReader reader = new WireReader("CORBA request", bytes);
        int version = reader.u8("version");
        if (version != VERSION) {
            throw reader.malformed("version", version);
        }
        int littleEndian = reader.u8("byte order");
        if (littleEndian > 1) {
            throw reader.malformed("byte order", littleEndian);
        }
        int giopMinor = reader.u8("GIOP minor");
        if (giopMinor > 2) {
            throw reader.malformed("GIOP minor", giopMinor);
        }
        int pad = reader.u8("pad");
        if (pad > 7) {
            throw reader.malformed("pad", pad);
        }
        int charCodeSet = reader.i32("char code set");
        int wcharCodeSet = reader.i32("wchar code set");
        String operation = reader.text("operation", MAX_NAME);
        byte[] objectKey = reader.blob("object key", MAX_NAME);
        byte[] body = reader.blob("body", MAX_BODY);
        reader.end();
        return new CapturedRequest(
                littleEndian == 1, giopMinor, pad, charCodeSet, wcharCodeSet, operation, objectKey, body);
    }

    /**
     * Two copies of one call agree in it, whatever connection they came over: operation, object and arguments count,
     * code sets and padding do not. FNV-1a of 64 bits over the parts, each followed by its length, then mixed once
     * more, since FNV leaves the last bytes in the low bits.
     */
    public long fingerprint() {
        long hash = 0xCBF2_9CE4_8422_2325L;
        for (int i = 0; i < operation.length(); i++) {
            hash = (hash ^ operation.charAt(i)) * FNV_PRIME;
        }
        hash = (hash ^ operation.length()) * FNV_PRIME;
        hash = mix(hash, objectKey);
        hash = mix(hash, body);
        hash = (hash ^ hash >>> 32) * 0x9E37_79B9_7F4A_7C15L;
        return hash ^ hash >>> 29;
    }

    private static final long FNV_PRIME = 0x100_0000_01B3L;

    private static long mix(long start, byte[] bytes) {
        long hash = start;
        for (byte next : bytes) {
            hash = (hash ^ (next & 0xFF)) * FNV_PRIME;
        }
        return (hash ^ bytes.length) * FNV_PRIME;
    }
}
