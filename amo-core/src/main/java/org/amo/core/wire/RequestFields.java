package org.amo.core.wire;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.amo.base.CallPath;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.request.Answer;
import org.amo.core.request.Budget;
import org.amo.core.request.Refusal;
import org.amo.core.sack.FinishedNumbers;

/**
 * Reads and writes the fields that several frames of the replicated service share: acknowledged numbers, the head of an answer, and the
 * path of a nested call.
 * Reading throws {@link MalformedFrameException} naming the field.
 */
public final class RequestFields {
    /** Length of the head that {@link #writeAnswerHead} writes. */
    public static final int ANSWER_HEAD_BYTES = 3 + 2 * Long.BYTES;

    private RequestFields() {}

    /**
     * Writes the floor as its distance from {@code expectedFloor}, then the ranges, each as its distance from the last
     * number before it and its length, minus the implied part. One byte for a client that has finished all up to the
     * expected floor, and for NONE.
     *
     * @param expectedFloor the number before the request's own; 0 where there is no request
     */
    public static void writeFinished(WireWriter writer, FinishedNumbers finished, long expectedFloor) {
        if (finished.isEmpty()) {
            writer.u8(0);
            return;
        }
        int ranges = finished.rangeCount();
        writer.varint(head(finished, expectedFloor));
        if (ranges > 0) {
            writer.varint(ranges - 1);
        }
        long last = finished.floor();
        for (int i = 0; i < ranges; i++) {
            writer.varint(finished.rangeFirst(i) - last - 2);
            writer.varint(finished.rangeLast(i) - finished.rangeFirst(i));
            last = finished.rangeLast(i);
        }
    }

    /** How many bytes {@link #writeFinished} writes; nothing is written. */
    public static int finishedSize(FinishedNumbers finished, long expectedFloor) {
        if (finished.isEmpty()) {
            return 1;
        }
        int ranges = finished.rangeCount();
        int size = WireWriter.varintSize(head(finished, expectedFloor));
        if (ranges > 0) {
            size += WireWriter.varintSize(ranges - 1);
        }
        long last = finished.floor();
        for (int i = 0; i < ranges; i++) {
            size += WireWriter.varintSize(finished.rangeFirst(i) - last - 2);
            size += WireWriter.varintSize(finished.rangeLast(i) - finished.rangeFirst(i));
            last = finished.rangeLast(i);
        }
        return size;
    }

    /** Reads the numbers that {@link #writeFinished} wrote with the same expected floor. */
    public static FinishedNumbers readFinished(WireReader reader, long expectedFloor) {
        long head = reader.varint("finished floor", 0, Long.MAX_VALUE);
        if (head == 0) {
            return FinishedNumbers.NONE;
        }
        long distance = (head - 1) >>> 1;
        long floor = expectedFloor - ((distance >>> 1) ^ -(distance & 1));
        boolean ranges = (head - 1) % 2 == 1;
        if (floor < 0 || floor > WireReader.MAX_NUMBER || (floor == 0 && !ranges)) {
            throw reader.malformed("finished floor", floor);
        }
        int count = ranges ? 1 + (int) reader.varint("finished ranges", 0, FinishedNumbers.MAX_RANGES - 1) : 0;
        // Each range takes two bytes at least: a count that the rest cannot hold allocates nothing.
        reader.need("finished", 2 * count);
        long[] bounds = new long[2 * count];
        long last = floor;
        for (int i = 0; i < bounds.length; i += 2) {
            bounds[i] = last + 2 + reader.varint("finished gap", 0, WireReader.MAX_NUMBER - last);
            bounds[i + 1] = bounds[i] + reader.varint("finished length", 0, WireReader.MAX_NUMBER - bounds[i]);
            last = bounds[i + 1];
        }
        return FinishedNumbers.of(floor, bounds);
    }

    /** The floor's distance, and whether ranges follow: never 0, which stands for NONE. */
    private static long head(FinishedNumbers finished, long expectedFloor) {
        return 1 + 2 * zigzag(expectedFloor - finished.floor()) + (finished.rangeCount() > 0 ? 1 : 0);
    }

    /** Small for numbers near 0 of either sign: 0, -1, 1, -2 … become 0, 1, 2, 3 … */
    private static long zigzag(long value) {
        return (value << 1) ^ (value >> 63);
    }

    /** Writes the number of groups and their names. */
    public static void writePath(WireWriter writer, CallPath path) {
        writer.varint(path.groups().size());
        path.groups().forEach(writer::text);
    }

    /** How many bytes {@link #writePath} writes. */
    public static int pathSize(CallPath path) {
        int size = WireWriter.varintSize(path.groups().size());
        for (String group : path.groups()) {
            int bytes = group.getBytes(StandardCharsets.UTF_8).length;
            size += WireWriter.varintSize(bytes) + bytes;
        }
        return size;
    }

    /** Reads a path of at least one group. */
    public static CallPath readPath(WireReader reader) {
        int count = (int) reader.varint("path groups", 1, CallPath.MAX_GROUPS);
        List<String> groups = new ArrayList<>(count);
        int left = CallPath.MAX_BYTES;
        for (int i = 0; i < count; i++) {
            String group = reader.text("path group", left);
            if (group.isEmpty()) {
                throw reader.malformed("path group length", 0);
            }
            left -= group.getBytes(StandardCharsets.UTF_8).length;
            groups.add(group);
        }
        return new CallPath(groups);
    }

    /** Writes kind, refusal, budget and times of an answer: all but its reply. */
    public static void writeAnswerHead(WireWriter writer, Answer answer) {
        writer.u8(
                switch (answer.kind()) {
                    case REPLY -> 0;
                    case REFUSED -> 1;
                    case UNKNOWN -> 2;
                });
        writer.u8(answer.refusal().map(Refusal::code).orElse(0));
        writer.u8(answer.budget().map(Budget::code).orElse(0));
        writer.i64(answer.orderedTimeMillis());
        writer.i64(answer.upperMillis());
    }

    /** Reads the head that {@link #writeAnswerHead} wrote; the reply is empty. */
    public static Answer readAnswerHead(WireReader reader) {
        int kind = reader.u8("answer kind");
        int code = reader.u8("answer refusal");
        Optional<Refusal> refusal = Refusal.ofCode(code);
        if (refusal.isPresent() != (kind == 1) || (code > 0 && refusal.isEmpty())) {
            throw reader.malformed("answer refusal", code);
        }
        int exhausted = reader.u8("answer budget");
        Optional<Budget> budget = Budget.ofCode(exhausted);
        if (exhausted > 0 && (budget.isEmpty() || !refusal.equals(Optional.of(Refusal.OVERLOADED)))) {
            throw reader.malformed("answer budget", exhausted);
        }
        long orderedTime = reader.i64("answer orderedTime");
        long upper = reader.i64("answer upper");
        return switch (kind) {
            case 0 -> Answer.reply(new byte[0], orderedTime, upper);
            case 1 ->
                budget.isPresent()
                        ? Answer.overloaded(budget.get(), orderedTime, upper)
                        : Answer.refused(refusal.orElseThrow(), orderedTime, upper);
            case 2 -> Answer.unknown(orderedTime, upper);
            default -> throw reader.malformed("answer kind", kind);
        };
    }
}
