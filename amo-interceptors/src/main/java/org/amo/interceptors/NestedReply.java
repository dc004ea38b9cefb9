package org.amo.interceptors;

import org.amo.base.wire.FrameLimitException;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;

/**
 * The ordered result of a CORBA call that an operation made (docs/wire/corba-body.md): the callee's reply in the bytes in which
 * its ORB wrote it, since nothing here knows their types.
 *
 * @param littleEndian byte order of the reply's body
 * @param giopMinor GIOP 1.x: decides how wide characters are read
 * @param pad position of the body in its GIOP message, modulo 8: 0 or 4
 * @param charCodeSet OSF registry number of the code set for char
 * @param wcharCodeSet the same for wchar; 0 when none was agreed
 * @param reply result and out arguments, or an exception
 */
public record NestedReply(
        boolean littleEndian, int giopMinor, int pad, int charCodeSet, int wcharCodeSet, CapturedReply reply) {
    private static final int VERSION = 1;

    /** Bytes before the reply. */
    private static final int HEADER_BYTES = 12;

    /** An exception that has no body, so that byte order and code sets do not matter. */
    public static NestedReply of(CapturedReply reply) {
        return new NestedReply(false, 2, 0, 0, 0, reply);
    }

    /**
     * The result's bytes.
     *
     * @throws FrameLimitException when the reply is longer than {@link #decode} accepts
     */
    public byte[] encode() {
        byte[] bytes = reply.encode();
        WireWriter writer = new WireWriter(HEADER_BYTES + bytes.length);
        writer.u8(VERSION);
        writer.u8(littleEndian ? 1 : 0);
        writer.u8(giopMinor);
        writer.u8(pad);
        writer.i32(charCodeSet);
        writer.i32(wcharCodeSet);
        writer.raw(bytes, 0, bytes.length);
        return writer.toBytes();
    }

    /** @throws org.amo.base.wire.MalformedFrameException naming the field that is wrong */
    public static NestedReply decode(byte[] bytes) {
        WireReader reader = new WireReader("nested CORBA reply", bytes);
        reader.version(VERSION);
        boolean littleEndian = reader.flag("byte order");
        int giopMinor = reader.u8("GIOP minor");
        if (giopMinor > 2) {
            throw reader.malformed("GIOP minor", giopMinor);
        }
        int pad = reader.u8("pad");
        if (pad != 0 && pad != 4) {
            throw reader.malformed("pad", pad);
        }
        int charCodeSet = reader.i32("char code set");
        int wcharCodeSet = reader.i32("wchar code set");
        byte[] reply = new byte[reader.remaining()];
        System.arraycopy(bytes, reader.position(), reply, 0, reply.length);
        return new NestedReply(littleEndian, giopMinor, pad, charCodeSet, wcharCodeSet, CapturedReply.decode(reply));
    }
}
