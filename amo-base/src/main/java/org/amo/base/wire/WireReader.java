package org.amo.base.wire;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.amo.base.ClientId;

/**
 * Reads the fields of a frame, big-endian, and checks each length before it is used. One thread owns it.
 * Every method throws {@link MalformedFrameException} naming field, offset and value.
 */
public final class WireReader {
    /** Times beyond this (year 10889) are refused, so that sums of times cannot overflow. */
    public static final long MAX_TIME_MILLIS = 1L << 48;

    /** Numbers beyond this are refused. */
    public static final long MAX_NUMBER = 1L << 60;

    private final String frame;
    private final byte[] bytes;
    private final int end;
    private int position;

    public WireReader(String frame, byte[] bytes) {
        this(frame, bytes, 0, bytes.length);
    }

    public WireReader(String frame, byte[] bytes, int offset, int length) {
        this.frame = frame;
        this.bytes = bytes;
        this.position = offset;
        this.end = offset + length;
    }

    public int u8(String field) {
        need(field, 1);
        return bytes[position++] & 0xFF;
    }

    /**
     * Reads the byte that names the version of a form.
     *
     * @throws MalformedFrameException unless it is this one
     */
    public void version(int expected) {
        version("version", expected);
    }

    /** The same for a field of another name. */
    public void version(String field, int expected) {
        int version = u8(field);
        if (version != expected) {
            throw malformed(field, version);
        }
    }

    public int i32(String field) {
        need(field, 4);
        int value = 0;
        for (int i = 0; i < 4; i++) {
            value = (value << 8) | (bytes[position++] & 0xFF);
        }
        return value;
    }

    public long i64(String field) {
        need(field, 8);
        long value = 0;
        for (int i = 0; i < 8; i++) {
            value = (value << 8) | (bytes[position++] & 0xFF);
        }
        return value;
    }

    public boolean flag(String field) {
        int value = u8(field);
        if (value > 1) {
            throw malformed(field, value);
        }
        return value == 1;
    }

    /** A varint between the two bounds, both included. */
    public long varint(String field, long least, long most) {
        return varint(field, "", least, most);
    }

    /** The field's whole name is made for an error only: these are read for each request. */
    private long varint(String field, String part, long least, long most) {
        long value = 0;
        for (int shift = 0; shift < 63; shift += 7) {
            if (position == end) {
                throw missing(field + part, 1);
            }
            int next = bytes[position++] & 0xFF;
            value |= (long) (next & 0x7F) << shift;
            if (next < 0x80) {
                if ((next == 0 && shift > 0) || value < least || value > most) {
                    throw malformed(field + part, value);
                }
                return value;
            }
        }
        throw malformed(field + part, value);
    }

    public byte[] blob(String field, int most) {
        int length = (int) varint(field, " length", 0, most);
        need(field, length);
        byte[] value = Arrays.copyOfRange(bytes, position, position + length);
        position += length;
        return value;
    }

    public String text(String field, int mostBytes) {
        byte[] utf8 = blob(field, mostBytes);
        String value = new String(utf8, StandardCharsets.UTF_8);
        if (!Arrays.equals(utf8, value.getBytes(StandardCharsets.UTF_8))) {
            throw malformed(field + " in UTF-8, of length", utf8.length);
        }
        return value;
    }

    public ClientId clientId(String field) {
        return new ClientId(i64(field), i64(field));
    }

    public int position() {
        return position;
    }

    public int remaining() {
        return end - position;
    }

    /** Nothing may follow. */
    public void end() {
        if (position != end) {
            throw new MalformedFrameException(
                    frame + ": " + (end - position) + " bytes too many at offset " + position);
        }
    }

    public MalformedFrameException malformed(String field, long value) {
        return new MalformedFrameException(frame + ": field " + field + " before offset " + position + " is " + value);
    }

    /** Checks that so many bytes are left, before anything is allocated for them. */
    public void need(String field, int count) {
        if (count > end - position) {
            throw missing(field, count);
        }
    }

    private MalformedFrameException missing(String field, int count) {
        return new MalformedFrameException(frame + ": field " + field + " at offset " + position + " needs " + count
                + " bytes, " + (end - position) + " are left");
    }
}
