package org.amo.core.wire;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.amo.core.request.Answer;
import org.amo.core.request.Budget;
import org.amo.core.request.ClientId;
import org.amo.core.request.Refusal;
import org.amo.core.sack.FinishedNumbers;

/** Writes the fields of a frame, big-endian, into an array that grows. One thread owns it. */
public final class WireWriter {
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
        ensure(10);
        long rest = value;
        while (rest >= 0x80) {
            bytes[size++] = (byte) (rest | 0x80L);
            rest >>>= 7;
        }
        bytes[size++] = (byte) rest;
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

    /**
     * The floor as its distance from {@code expectedFloor}, then the ranges, each as its distance from the last number
     * before it and its length, minus what is implied. One byte for a client that has finished all up to what is
     * expected, and for NONE.
     *
     * @param expectedFloor the number before the request's own; 0 where there is no request
     */
    public void finished(FinishedNumbers finished, long expectedFloor) {
        if (finished.isEmpty()) {
            u8(0);
            return;
        }
        int ranges = finished.rangeCount();
        varint(1 + 2 * zigzag(expectedFloor - finished.floor()) + (ranges > 0 ? 1 : 0));
        if (ranges > 0) {
            varint(ranges - 1);
        }
        long last = finished.floor();
        for (int i = 0; i < ranges; i++) {
            varint(finished.rangeFirst(i) - last - 2);
            varint(finished.rangeLast(i) - finished.rangeFirst(i));
            last = finished.rangeLast(i);
        }
    }

    /** Small for numbers near 0 of either sign: 0, -1, 1, -2 … become 0, 1, 2, 3 … */
    private static long zigzag(long value) {
        return (value << 1) ^ (value >> 63);
    }

    /** Kind, refusal, budget and times of an answer: all but its reply. */
    public void answerHead(Answer answer) {
        u8(
                switch (answer.kind()) {
                    case REPLY -> 0;
                    case REFUSED -> 1;
                    case UNKNOWN -> 2;
                });
        u8(answer.refusal().map(Refusal::code).orElse(0));
        u8(answer.budget().map(Budget::code).orElse(0));
        i64(answer.orderedTimeMillis());
        i64(answer.upperMillis());
    }

    public byte[] toBytes() {
        return Arrays.copyOf(bytes, size);
    }

    private void ensure(int more) {
        if (size + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + more));
        }
    }
}
