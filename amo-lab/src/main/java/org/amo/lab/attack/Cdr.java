package org.amo.lab.attack;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Writes CDR of either byte order, and malformed CDR. Alignment counts from the first byte. One thread owns it. */
final class Cdr {
    private final ByteOrder order;
    private ByteBuffer buffer;

    Cdr(boolean littleEndian) {
        order = littleEndian ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
        buffer = ByteBuffer.allocate(256).order(order);
    }

    /** An encapsulation: its byte order is its first byte. */
    static Cdr encapsulation() {
        return new Cdr(false).octet(0);
    }

    Cdr octet(int value) {
        room(1).put((byte) value);
        return this;
    }

    Cdr uShort(int value) {
        align(2).room(2).putShort((short) value);
        return this;
    }

    Cdr uLong(int value) {
        align(4).room(4).putInt(value);
        return this;
    }

    Cdr longLong(long value) {
        align(8).room(8).putLong(value);
        return this;
    }

    Cdr string(String value) {
        byte[] bytes = value.getBytes(StandardCharsets.ISO_8859_1);
        return uLong(bytes.length + 1).raw(bytes).octet(0);
    }

    Cdr octets(byte[] value) {
        return uLong(value.length).raw(value);
    }

    Cdr raw(byte... value) {
        room(value.length).put(value);
        return this;
    }

    Cdr align(int boundary) {
        while (buffer.position() % boundary != 0) {
            octet(0);
        }
        return this;
    }

    int size() {
        return buffer.position();
    }

    Cdr patchULong(int at, int value) {
        buffer.putInt(at, value);
        return this;
    }

    byte[] toBytes() {
        return Arrays.copyOf(buffer.array(), buffer.position());
    }

    private ByteBuffer room(int bytes) {
        if (buffer.remaining() < bytes) {
            buffer = ByteBuffer.allocate(2 * buffer.capacity() + bytes)
                    .order(order)
                    .put(buffer.flip());
        }
        return buffer;
    }
}
