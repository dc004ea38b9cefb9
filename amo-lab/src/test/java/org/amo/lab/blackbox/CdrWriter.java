package org.amo.lab.blackbox;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** CDR of either byte order; alignment counts from the first byte written. */
final class CdrWriter {
    private static final int GROWTH = 256;

    private final ByteOrder order;
    private ByteBuffer buffer;

    CdrWriter(boolean littleEndian) {
        order = littleEndian ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
        buffer = ByteBuffer.allocate(GROWTH).order(order);
    }

    CdrWriter octet(int value) {
        room(1).put((byte) value);
        return this;
    }

    CdrWriter uShort(int value) {
        align(2).room(2).putShort((short) value);
        return this;
    }

    CdrWriter uLong(int value) {
        align(4).room(4).putInt(value);
        return this;
    }

    CdrWriter longLong(long value) {
        align(8).room(8).putLong(value);
        return this;
    }

    CdrWriter string(String value) {
        byte[] bytes = value.getBytes(StandardCharsets.ISO_8859_1);
        return uLong(bytes.length + 1).raw(bytes).octet(0);
    }

    CdrWriter octets(byte[] value) {
        return uLong(value.length).raw(value);
    }

    CdrWriter raw(byte[] value) {
        room(value.length).put(value);
        return this;
    }

    CdrWriter align(int boundary) {
        while (buffer.position() % boundary != 0) {
            octet(0);
        }
        return this;
    }

    int size() {
        return buffer.position();
    }

    void patchULong(int at, int value) {
        buffer.putInt(at, value);
    }

    byte[] toBytes() {
        return Arrays.copyOf(buffer.array(), buffer.position());
    }

    private ByteBuffer room(int bytes) {
        if (buffer.remaining() < bytes) {
            ByteBuffer larger =
                    ByteBuffer.allocate(2 * buffer.capacity() + bytes).order(order);
            buffer = larger.put(buffer.flip());
        }
        return buffer;
    }
}
