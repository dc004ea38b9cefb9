package org.amo.core.reply;

import java.util.Arrays;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;

/**
 * The resolved numbers of one client: a floor, and ranges above it, each with the largest timestamp that an attempt of one
 * of its numbers may carry. A range goes once {@code upper} has reached that: from then on {@code upper} refuses those
 * attempts.
 */
final class ResolvedNumbers {
    private static final long[] EMPTY = {};
    private static final int WIDTH = 3;

    private long floor;

    /** first, last, largest timestamp; first, last, … rising, with a gap between. */
    private long[] ranges = EMPTY;

    private int size;

    /** All up to a floor and none above. */
    static ResolvedNumbers upTo(long floor) {
        ResolvedNumbers numbers = new ResolvedNumbers();
        numbers.floor = floor;
        return numbers;
    }

    long floor() {
        return floor;
    }

    int rangeCount() {
        return size / WIDTH;
    }

    boolean contains(long number) {
        if (number <= floor) {
            return true;
        }
        int index = firstEndingAtOrAfter(number);
        return index < size && ranges[index] <= number;
    }

    boolean containsAll(long first, long last) {
        if (last <= floor) {
            return true;
        }
        int index = firstEndingAtOrAfter(last);
        return index < size && ranges[index] <= first;
    }

    void add(long first, long last, long timestampMillis) {
        if (last <= floor) {
            return;
        }
        long low = Math.max(first, floor + 1);
        long high = last;
        long bound = timestampMillis;
        int from = firstEndingAtOrAfter(low - 1);
        int to = from;
        while (to < size && ranges[to] <= last + 1) {
            low = Math.min(low, ranges[to]);
            high = Math.max(high, ranges[to + 1]);
            bound = Math.max(bound, ranges[to + 2]);
            to += WIDTH;
        }
        boolean joinsFloor = low == floor + 1;
        int added = joinsFloor ? 0 : WIDTH;
        int newSize = size - (to - from) + added;
        if (newSize > ranges.length) {
            ranges = Arrays.copyOf(ranges, Math.max(2 * WIDTH, 2 * newSize));
        }
        if (newSize != size) {
            System.arraycopy(ranges, to, ranges, from + added, size - to);
            size = newSize;
        }
        if (joinsFloor) {
            floor = high;
        } else {
            ranges[from] = low;
            ranges[from + 1] = high;
            ranges[from + 2] = bound;
        }
        trim();
    }

    /** Forgets the ranges that {@code upper} covers. */
    void forgetUpTo(long upperMillis) {
        int kept = 0;
        for (int index = 0; index < size; index += WIDTH) {
            if (ranges[index + 2] > upperMillis) {
                System.arraycopy(ranges, index, ranges, kept, WIDTH);
                kept += WIDTH;
            }
        }
        size = kept;
        trim();
    }

    ResolvedNumbers copy() {
        ResolvedNumbers copy = new ResolvedNumbers();
        copy.floor = floor;
        copy.ranges = size == 0 ? EMPTY : Arrays.copyOf(ranges, size);
        copy.size = size;
        return copy;
    }

    void write(WireWriter writer) {
        writer.varint(floor);
        writer.varint(rangeCount());
        for (int index = 0; index < size; index++) {
            writer.i64(ranges[index]);
        }
    }

    static ResolvedNumbers read(WireReader reader) {
        ResolvedNumbers numbers = new ResolvedNumbers();
        numbers.floor = reader.varint("floor", 0, Long.MAX_VALUE - 2);
        numbers.size = WIDTH * (int) reader.varint("ranges", 0, reader.remaining() / (8 * WIDTH));
        numbers.ranges = new long[numbers.size];
        long last = numbers.floor;
        for (int index = 0; index < numbers.size; index += WIDTH) {
            long first = reader.i64("range first");
            if (first < last + 2) {
                throw reader.malformed("range first", first);
            }
            last = reader.i64("range last");
            if (last < first || last > Long.MAX_VALUE - 2) {
                throw reader.malformed("range last", last);
            }
            numbers.ranges[index] = first;
            numbers.ranges[index + 1] = last;
            numbers.ranges[index + 2] = reader.i64("range timestamp");
        }
        return numbers;
    }

    private void trim() {
        if (size == 0) {
            ranges = EMPTY;
        }
    }

    /** Index of the first range that ends at {@code number} or later. */
    private int firstEndingAtOrAfter(long number) {
        int low = 0;
        int high = size / WIDTH;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (ranges[WIDTH * middle + 1] < number) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return WIDTH * low;
    }
}
