package org.amo.core.wire;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import org.amo.core.request.Answer;
import org.amo.core.request.Budget;
import org.amo.core.request.ClientId;
import org.amo.core.request.Refusal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;

/**
 * Reads the fields of a frame, big-endian, and checks each length before it is used. One thread owns it.
 * Every method throws {@link MalformedFrameException} naming field, offset and value.
 */
public final class WireReader {
    /** Times beyond this (year 10889) are refused, so that sums of times cannot overflow. */
    public static final long MAX_TIME_MILLIS = Request.MAX_TIME_MILLIS;

    /** Numbers beyond this are refused. */
    public static final long MAX_NUMBER = RequestId.MAX_NUMBER;

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
        long value = 0;
        for (int shift = 0; shift < 63; shift += 7) {
            int next = u8(field);
            value |= (long) (next & 0x7F) << shift;
            if (next < 0x80) {
                if ((next == 0 && shift > 0) || value < least || value > most) {
                    throw malformed(field, value);
                }
                return value;
            }
        }
        throw malformed(field, value);
    }

    public byte[] blob(String field, int most) {
        int length = (int) varint(field + " length", 0, most);
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

    /** What {@link WireWriter#finished} wrote with the same expected floor. */
    public FinishedNumbers finished(String field, long expectedFloor) {
        long head = varint(field + " floor", 0, Long.MAX_VALUE);
        if (head == 0) {
            return FinishedNumbers.NONE;
        }
        long distance = (head - 1) >>> 1;
        long floor = expectedFloor - ((distance >>> 1) ^ -(distance & 1));
        boolean ranges = (head - 1) % 2 == 1;
        if (floor < 0 || floor > MAX_NUMBER || (floor == 0 && !ranges)) {
            throw malformed(field + " floor", floor);
        }
        int count = ranges ? 1 + (int) varint(field + " ranges", 0, FinishedNumbers.MAX_RANGES - 1) : 0;
        // Each range takes two bytes at least: a count that the rest cannot hold allocates nothing.
        need(field, 2 * count);
        long[] bounds = new long[2 * count];
        long last = floor;
        for (int i = 0; i < bounds.length; i += 2) {
            bounds[i] = last + 2 + varint(field + " gap", 0, MAX_NUMBER - last);
            bounds[i + 1] = bounds[i] + varint(field + " length", 0, MAX_NUMBER - bounds[i]);
            last = bounds[i + 1];
        }
        return FinishedNumbers.of(floor, bounds);
    }

    /** What {@link WireWriter#answerHead} wrote; the reply is empty. */
    public Answer answerHead(String field) {
        int kind = u8(field + " kind");
        int code = u8(field + " refusal");
        Optional<Refusal> refusal = Refusal.ofCode(code);
        if (refusal.isPresent() != (kind == 1) || (code > 0 && refusal.isEmpty())) {
            throw malformed(field + " refusal", code);
        }
        int exhausted = u8(field + " budget");
        Optional<Budget> budget = Budget.ofCode(exhausted);
        if (exhausted > 0 && (budget.isEmpty() || !refusal.equals(Optional.of(Refusal.OVERLOADED)))) {
            throw malformed(field + " budget", exhausted);
        }
        long orderedTime = i64(field + " orderedTime");
        long upper = i64(field + " upper");
        return switch (kind) {
            case 0 -> Answer.reply(new byte[0], orderedTime, upper);
            case 1 ->
                budget.isPresent()
                        ? Answer.overloaded(budget.get(), orderedTime, upper)
                        : Answer.refused(refusal.orElseThrow(), orderedTime, upper);
            case 2 -> Answer.unknown(orderedTime, upper);
            default -> throw malformed(field + " kind", kind);
        };
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

    private void need(String field, int count) {
        if (count > end - position) {
            throw new MalformedFrameException(frame + ": field " + field + " at offset " + position + " needs " + count
                    + " bytes, " + (end - position) + " are left");
        }
    }
}
