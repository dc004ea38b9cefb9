package org.amo.core.sack;

import java.util.Arrays;
import org.amo.core.request.RequestId;

/**
 * The numbers that a client will never ask about again, as it tells the group: a floor (all numbers up to it) and ranges
 * above it. Cumulative, so that the next carrier repairs the loss of one. Immutable.
 */
public final class FinishedNumbers {
    /** Most ranges in one message; a client with more sends the rest with its next calls. */
    public static final int MAX_RANGES = 2_000;

    public static final FinishedNumbers NONE = new FinishedNumbers(0, new long[0]);

    private final long floor;
    private final long[] bounds;

    private FinishedNumbers(long floor, long[] bounds) {
        this.floor = floor;
        this.bounds = bounds;
    }

    /**
     * @param floor 0 for none; otherwise every number from 1 to it is finished
     * @param bounds first, last, first, last …: rising, above the floor, with gaps between, at most
     *     {@link RequestId#MAX_NUMBER}. Copied
     * @throws IllegalArgumentException when the bounds are not of that form
     */
    public static FinishedNumbers of(long floor, long... bounds) {
        if (floor < 0 || floor > RequestId.MAX_NUMBER || bounds.length % 2 != 0 || bounds.length > 2 * MAX_RANGES) {
            throw new IllegalArgumentException("finished numbers: floor=" + floor + " bounds=" + bounds.length);
        }
        long last = floor;
        for (int i = 0; i < bounds.length; i += 2) {
            // A gap of one number at least: adjacent ranges must have been joined.
            if (bounds[i] < last + 2 || bounds[i + 1] < bounds[i] || bounds[i + 1] > RequestId.MAX_NUMBER) {
                throw new IllegalArgumentException(
                        "finished numbers: range " + bounds[i] + ".." + bounds[i + 1] + " after " + last);
            }
            last = bounds[i + 1];
        }
        return floor == 0 && bounds.length == 0 ? NONE : new FinishedNumbers(floor, bounds.clone());
    }

    public long floor() {
        return floor;
    }

    public int rangeCount() {
        return bounds.length / 2;
    }

    public long rangeFirst(int index) {
        return bounds[2 * index];
    }

    public long rangeLast(int index) {
        return bounds[2 * index + 1];
    }

    public boolean isEmpty() {
        return floor == 0 && bounds.length == 0;
    }

    public boolean contains(long number) {
        if (number <= floor) {
            return number >= 1;
        }
        for (int i = 0; i < bounds.length && bounds[i] <= number; i += 2) {
            if (number <= bounds[i + 1]) {
                return true;
            }
        }
        return false;
    }

    /** Whether it names every number that the other does. */
    public boolean containsAll(FinishedNumbers other) {
        // Between the ranges of either there are gaps, so each range of the other must lie in one of these.
        if (other.floor > floor) {
            return false;
        }
        int mine = 0;
        for (int i = 0; i < other.bounds.length; i += 2) {
            if (other.bounds[i + 1] <= floor) {
                continue;
            }
            while (mine < bounds.length && bounds[mine + 1] < other.bounds[i + 1]) {
                mine += 2;
            }
            if (mine == bounds.length || bounds[mine] > other.bounds[i]) {
                return false;
            }
        }
        return true;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FinishedNumbers that && floor == that.floor && Arrays.equals(bounds, that.bounds);
    }

    @Override
    public int hashCode() {
        return 31 * Long.hashCode(floor) + Arrays.hashCode(bounds);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("..").append(floor);
        for (int i = 0; i < bounds.length; i += 2) {
            text.append(' ').append(bounds[i]).append("..").append(bounds[i + 1]);
        }
        return text.toString();
    }
}
