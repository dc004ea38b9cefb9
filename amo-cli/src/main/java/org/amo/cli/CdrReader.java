package org.amo.cli;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Reads a CDR encapsulation: bytes that begin with their byte order, aligned from their own start. */
final class CdrReader {
    private static final int LONGEST_STRING = 1 << 16;

    private final String what;
    private final ByteBuffer buffer;

    /** The first argument names the data in messages. */
    CdrReader(String what, byte[] bytes) throws MalformedReferenceException {
        this.what = what;
        this.buffer = ByteBuffer.wrap(bytes);
        int order = octet("byte order");
        if (order > 1) {
            throw malformed("byte order", "is " + order + " instead of 0 or 1");
        }
        buffer.order(order == 1 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
    }

    int octet(String field) throws MalformedReferenceException {
        need(field, 1);
        return buffer.get() & 0xFF;
    }

    int uShort(String field) throws MalformedReferenceException {
        align(field, 2);
        need(field, 2);
        return buffer.getShort() & 0xFFFF;
    }

    long uLong(String field) throws MalformedReferenceException {
        align(field, 4);
        need(field, 4);
        return buffer.getInt() & 0xFFFF_FFFFL;
    }

    /** Unsigned, in a signed type. */
    long uLongLong(String field) throws MalformedReferenceException {
        align(field, 8);
        need(field, 8);
        return buffer.getLong();
    }

    byte[] octets(String field) throws MalformedReferenceException {
        byte[] bytes = new byte[need(field, uLong(field))];
        buffer.get(bytes);
        return bytes;
    }

    String string(String field) throws MalformedReferenceException {
        byte[] bytes = octets(field);
        if (bytes.length == 0 || bytes.length > LONGEST_STRING || bytes[bytes.length - 1] != 0) {
            throw malformed(field, "is no string");
        }
        return new String(bytes, 0, bytes.length - 1, StandardCharsets.UTF_8);
    }

    /** The length of a sequence; its elements take at least so many bytes each. */
    int count(String field, int elementBytes) throws MalformedReferenceException {
        long count = uLong(field);
        if (count * elementBytes > buffer.remaining()) {
            throw malformed(field, "claims " + count + " elements in " + buffer.remaining() + " bytes");
        }
        return (int) count;
    }

    private MalformedReferenceException malformed(String field, String why) {
        return new MalformedReferenceException(what + ": " + field + " at byte " + buffer.position() + " " + why);
    }

    private void align(String field, int boundary) throws MalformedReferenceException {
        int position = (buffer.position() + boundary - 1) & -boundary;
        if (position > buffer.limit()) {
            throw malformed(field, "is cut off");
        }
        buffer.position(position);
    }

    private int need(String field, long length) throws MalformedReferenceException {
        if (length > buffer.remaining()) {
            throw malformed(field, "needs " + length + " bytes and there are " + buffer.remaining());
        }
        return (int) length;
    }
}
