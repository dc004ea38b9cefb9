package org.amo.lab.blackbox;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Reads CDR; alignment counts from the first byte of the array. */
final class CdrReader {
    private final ByteBuffer buffer;

    CdrReader(byte[] bytes, int from, boolean littleEndian) {
        buffer = ByteBuffer.wrap(bytes).order(littleEndian ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
        buffer.position(from);
    }

    int octet() {
        return buffer.get() & 0xFF;
    }

    int uShort() {
        return align(2).buffer.getShort() & 0xFFFF;
    }

    int uLong() {
        return align(4).buffer.getInt();
    }

    long longLong() {
        return align(8).buffer.getLong();
    }

    String string() {
        byte[] bytes = octets();
        return new String(bytes, 0, Math.max(0, bytes.length - 1), StandardCharsets.ISO_8859_1);
    }

    byte[] octets() {
        byte[] bytes = new byte[uLong()];
        buffer.get(bytes);
        return bytes;
    }

    byte[] rest() {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    CdrReader align(int boundary) {
        int position = buffer.position() + boundary - 1 & -boundary;
        buffer.position(Math.min(position, buffer.limit()));
        return this;
    }
}
