package org.amo.core.reply;

import java.util.Arrays;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;

/**
 * The resolved numbers of one client: a floor, and ranges above it, each with the largest timestamp that an attempt of one
 * of its numbers may carry. A range goes once {@code upper} has reached that: from then on {@code upper} refuses those
 * attempts.
 *
 * <p>The room of the ranges has one gap, where the last range came or went. Ranges that come in rising order, as those of one
 * acknowledgement do, move each range behind them once and not once for each.
 */
final class ResolvedNumbers {
    private static final long[] EMPTY = {};
    private static final int WIDTH = 3;

    private long floor;

    /** first, last, largest timestamp; first, last, … rising, with a gap between. */
    private long[] ranges = EMPTY;

    private int size;

    /** Longs before the gap; those behind it end with the array, so that a full one has a gap of no width. */
    private int gap;

    /** No range has a smaller timestamp; one that had it may have gone. */
    private long leastTimestampMillis = Long.MAX_VALUE;

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
        return index < size && at(index) <= number;
    }

    boolean containsAll(long first, long last) {
        if (last <= floor) {
            return true;
        }
        int index = firstEndingAtOrAfter(last);
        return index < size && at(index) <= first;
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
        while (to < size && at(to) <= last + 1) {
            low = Math.min(low, at(to));
            high = Math.max(high, at(to + 1));
            bound = Math.max(bound, at(to + 2));
            to += WIDTH;
        }
        remove(from, to);
        if (low == floor + 1) {
            floor = high;
        } else {
            insert(low, high, bound);
        }
        trim();
    }

    /** Removes the longs from {@code from} to before {@code to}: the gap is there then. */
    private void remove(int from, int to) {
        moveGap(to);
        gap = from;
        size -= to - from;
    }

    /** Into the gap. */
    private void insert(long low, long high, long bound) {
        if (size + WIDTH > ranges.length) {
            int end = gap;
            moveGap(size);
            ranges = Arrays.copyOf(ranges, Math.max(2 * WIDTH, 2 * (size + WIDTH)));
            moveGap(end);
        }
        ranges[gap] = low;
        ranges[gap + 1] = high;
        ranges[gap + 2] = bound;
        gap += WIDTH;
        size += WIDTH;
        leastTimestampMillis = Math.min(leastTimestampMillis, bound);
    }

    private void moveGap(int to) {
        int width = ranges.length - size;
        if (to < gap) {
            System.arraycopy(ranges, to, ranges, to + width, gap - to);
        } else {
            System.arraycopy(ranges, gap + width, ranges, gap, to - gap);
        }
        gap = to;
    }

    private long at(int index) {
        return ranges[index < gap ? index : index + ranges.length - size];
    }

    /** Forgets the ranges that {@code upper} covers. */
    void forgetUpTo(long upperMillis) {
        if (leastTimestampMillis > upperMillis) {
            return;
        }
        moveGap(size);
        leastTimestampMillis = Long.MAX_VALUE;
        int kept = 0;
        for (int index = 0; index < size; index += WIDTH) {
            if (ranges[index + 2] > upperMillis) {
                leastTimestampMillis = Math.min(leastTimestampMillis, ranges[index + 2]);
                System.arraycopy(ranges, index, ranges, kept, WIDTH);
                kept += WIDTH;
            }
        }
        size = kept;
        gap = kept;
        trim();
    }

    ResolvedNumbers copy() {
        ResolvedNumbers copy = new ResolvedNumbers();
        copy.floor = floor;
        copy.ranges = new long[size];
        for (int index = 0; index < size; index++) {
            copy.ranges[index] = at(index);
        }
        copy.size = size;
        copy.leastTimestampMillis = leastTimestampMillis;
        copy.trim();
        return copy;
    }

    void write(WireWriter writer) {
        writer.varint(floor);
        writer.varint(rangeCount());
        for (int index = 0; index < size; index++) {
            writer.i64(at(index));
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
            numbers.leastTimestampMillis = Math.min(numbers.leastTimestampMillis, numbers.ranges[index + 2]);
        }
        return numbers;
    }

    private void trim() {
        if (size == 0) {
            ranges = EMPTY;
            gap = 0;
        }
    }

    /** Index of the first range that ends at {@code number} or later. */
    private int firstEndingAtOrAfter(long number) {
        int low = 0;
        int high = size / WIDTH;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (at(WIDTH * middle + 1) < number) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return WIDTH * low;
    }
}
