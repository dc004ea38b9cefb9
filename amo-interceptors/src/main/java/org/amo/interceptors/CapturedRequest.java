package org.amo.interceptors;

import org.amo.base.wire.FrameLimitException;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.request.Request;

/**
 * A CORBA request as the ordered log carries it: all that a servant's skeleton needs to run it at any member
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

    /** Version, byte order, GIOP minor, pad and the two code sets. */
    private static final int HEAD_BYTES = 4 + 2 * Integer.BYTES;

    /** Longest operation in UTF-8, and longest object key. */
    public static final int MAX_NAME = 1 << 16;

    /** Of all its bytes together. */
    private static final int MAX_BYTES = Request.MAX_BODY_BYTES;

    /**
     * The request's bytes.
     *
     * @throws FrameLimitException when a part is longer than {@link #decode} accepts
     */
    public byte[] encode() {
        WireWriter writer = new WireWriter(32 + operation.length() + objectKey.length + body.length);
        writer.u8(VERSION);
        writer.u8(littleEndian ? 1 : 0);
        writer.u8(giopMinor);
        writer.u8(pad);
        writer.i32(charCodeSet);
        writer.i32(wcharCodeSet);
        writer.text("operation", operation, MAX_NAME);
        writer.blob("object key", objectKey, MAX_NAME);
        writer.blob("arguments", body, MAX_BYTES);
        if (writer.size() > MAX_BYTES) {
            throw new FrameLimitException("CORBA request", writer.size(), MAX_BYTES);
        }
        return writer.toBytes();
    }

    /** Whether JacORB answers it where it arrives, as an operation of every object; an attribute's are the servant's. */
    public boolean isPseudo() {
        return isPseudo(operation);
    }

    /** The same of an operation. */
    public static boolean isPseudo(String operation) {
        return (operation.startsWith("_") && !operation.startsWith("_get_") && !operation.startsWith("_set_"))
                || operation.equals("_get_policy")
                || operation.equals("_get_component");
    }

    /** Whether another version of amo wrote it, which only a member can have done. */
    public static boolean isOfAnotherVersion(byte[] bytes) {
        return bytes.length > 0 && (bytes[0] & 0xFF) != VERSION;
    }

    /** @throws org.amo.base.wire.MalformedFrameException naming the field that is wrong */
    public static CapturedRequest decode(byte[] bytes) {
        WireReader reader = new WireReader("CORBA request", bytes);
        if (bytes.length > MAX_BYTES) {
            throw reader.malformed("length", bytes.length);
        }
        reader.version(VERSION);
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
        byte[] body = reader.blob("body", MAX_BYTES);
        reader.end();
        return new CapturedRequest(
                littleEndian == 1, giopMinor, pad, charCodeSet, wcharCodeSet, operation, objectKey, body);
    }

    /**
     * The object key alone, of bytes that {@link #decode} may refuse further on.
     *
     * @throws org.amo.base.wire.MalformedFrameException naming the field that is wrong
     */
    public static byte[] objectKey(byte[] bytes) {
        WireReader reader = new WireReader("CORBA request", bytes);
        for (int i = 0; i < HEAD_BYTES; i++) {
            reader.u8("head");
        }
        reader.text("operation", MAX_NAME);
        return reader.blob("object key", MAX_NAME);
    }

    /**
     * Equal for all attempts of one call, over any connection: operation, object and arguments count, code sets and
     * padding do not. FNV-1a of 64 bits over the parts, each followed by its length, then mixed once more, since FNV
     * leaves the last bytes in the low bits.
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
