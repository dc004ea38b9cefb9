package org.amo.core.sack;

import java.util.Arrays;

/**
 * A set of numbers from 1 up, kept as a floor and ranges above it. One thread owns it. Adding to the end and
 * filling the lowest gap, the usual cases, cost a few array moves.
 */
public final class NumberRanges {
    private static final long[] EMPTY = {};

    private long floor;
    private long[] bounds = EMPTY;
    private int size;

    public long floor() {
        return floor;
    }

    public int rangeCount() {
        return size / 2;
    }

    public boolean contains(long number) {
        if (number <= floor) {
            return number >= 1;
        }
        int index = firstRangeEndingAtOrAfter(number);
        return index < size && bounds[index] <= number;
    }

    /** Adds first to last, both included, and joins ranges that touch. */
    public void add(long first, long last) {
        if (first < 1 || last < first) {
            throw new IllegalArgumentException("range " + first + ".." + last);
        }
        if (last <= floor) {
            return;
        }
        long from = Math.max(first, floor + 1);
        int index = firstRangeEndingAtOrAfter(from - 1);
        int end = index;
        long low = from;
        long high = last;
        while (end < size && bounds[end] <= last + 1) {
            low = Math.min(low, bounds[end]);
            high = Math.max(high, bounds[end + 1]);
            end += 2;
        }
        if (low == floor + 1) {
            floor = high;
            replace(index, end, 0, 0, false);
        } else {
            replace(index, end, low, high, true);
        }
    }

    /**
     * The floor and up to {@code limit} ranges, beginning with the range of that index and, at the end,
     * going on with the first ones. Always includes as many as there are, if they fit.
     */
    public FinishedNumbers toFinished(int firstRange, int limit) {
        int count = rangeCount();
        if (count <= limit) {
            return FinishedNumbers.of(floor, Arrays.copyOf(bounds, size));
        }
        int start = firstRange % count;
        int tail = Math.min(limit, count - start);
        int head = limit - tail;
        long[] part = new long[2 * limit];
        System.arraycopy(bounds, 0, part, 0, 2 * head);
        System.arraycopy(bounds, 2 * start, part, 2 * head, 2 * tail);
        return FinishedNumbers.of(floor, part);
    }

    /** Index into bounds of the first range that ends at {@code number} or later. */
    private int firstRangeEndingAtOrAfter(long number) {
        int low = 0;
        int high = size / 2;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (bounds[2 * middle + 1] < number) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return 2 * low;
    }

    /** Replaces bounds[from, to) by one range, or by nothing. */
    private void replace(int from, int to, long low, long high, boolean keep) {
        int added = keep ? 2 : 0;
        int newSize = size - (to - from) + added;
        if (newSize > bounds.length) {
            bounds = Arrays.copyOf(bounds, Math.max(8, 2 * newSize));
        }
        System.arraycopy(bounds, to, bounds, from + added, size - to);
        if (keep) {
            bounds[from] = low;
            bounds[from + 1] = high;
        }
        size = newSize;
        if (size == 0) {
            bounds = EMPTY;
        }
    }
}
