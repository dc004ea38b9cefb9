package org.amo.base.wire;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.amo.base.ClientId;

/** Writes the fields of a frame, big-endian, into an array that grows. One thread owns it. */
public final class WireWriter {
    private static final byte[] NOTHING = {};

    private byte[] bytes;
    private int size;

    public WireWriter(int capacity) {
        bytes = new byte[Math.max(16, capacity)];
    }

    public int size() {
        return size;
    }

    public void u8(int value) {
        ensure(1);
        bytes[size++] = (byte) value;
    }

    public void i32(int value) {
        ensure(4);
        for (int shift = 24; shift >= 0; shift -= 8) {
            bytes[size++] = (byte) (value >>> shift);
        }
    }

    public void i64(long value) {
        ensure(8);
        for (int shift = 56; shift >= 0; shift -= 8) {
            bytes[size++] = (byte) (value >>> shift);
        }
    }

    /** Seven bits a byte, lowest first, the high bit saying that more follow. Not for negative values. */
    public void varint(long value) {
        if (value < 0) {
            throw new IllegalArgumentException("varint of " + value);
        }
        ensure(varintSize(value));
        long rest = value;
        while (rest >= 0x80) {
            bytes[size++] = (byte) (rest | 0x80L);
            rest >>>= 7;
        }
        bytes[size++] = (byte) rest;
    }

    /** How many bytes {@link #varint} writes. Not for negative values. */
    public static int varintSize(long value) {
        return Math.max(1, (Long.SIZE - Long.numberOfLeadingZeros(value) + 6) / 7);
    }

    /** A length and the bytes. */
    public void blob(byte[] value) {
        varint(value.length);
        raw(value, 0, value.length);
    }

    /**
     * A length and the bytes, for a reader that takes {@code most} of them.
     *
     * @throws FrameLimitException when there are more
     */
    public void blob(String field, byte[] value, int most) {
        if (value.length > most) {
            throw new FrameLimitException(field, value.length, most);
        }
        blob(value);
    }

    public void raw(byte[] value, int offset, int length) {
        ensure(length);
        System.arraycopy(value, offset, bytes, size, length);
        size += length;
    }

    /** A length in bytes and UTF-8. */
    public void text(String value) {
        blob(value.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * A length in bytes and UTF-8, for a reader that takes {@code mostBytes} of them.
     *
     * @throws FrameLimitException when there are more
     */
    public void text(String field, String value, int mostBytes) {
        blob(field, value.getBytes(StandardCharsets.UTF_8), mostBytes);
    }

    public void clientId(ClientId client) {
        i64(client.high());
        i64(client.low());
    }

    public byte[] toBytes() {
        return Arrays.copyOf(bytes, size);
    }

    /** Makes room for that many more bytes, no others: if just these follow, {@link #take} copies nothing. */
    public void capacityFor(int more) {
        bytes = Arrays.copyOf(bytes, size + more);
    }

    /** The bytes, without a copy if they fill the capacity. This writer is empty afterwards. */
    public byte[] take() {
        byte[] taken = size == bytes.length ? bytes : toBytes();
        bytes = NOTHING;
        size = 0;
        return taken;
    }

    private void ensure(int more) {
        if (size + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + more));
        }
    }
}
