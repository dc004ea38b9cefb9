package org.amo.base.wire;

/**
 * Refuses the second copy of a numbered frame: the sliding window of IPsec (RFC 4303, section 3.4.3). Each number is taken once, in
 * any order. A number that lies a window or more below the highest one counts as taken, whether it came or not. One thread owns it.
 */
public final class ReplayWindow {
    // Invariant: the bit of a number n with highest - size < n <= highest says whether n came.
    private final long[] came;
    private final int size;
    private long highest = -1;

    /**
     * @param size frames that may be overtaken by later ones, a multiple of 64
     * @throws IllegalArgumentException if it is not
     */
    public ReplayWindow(int size) {
        if (size <= 0 || size % Long.SIZE != 0) {
            throw new IllegalArgumentException("size must be a multiple of " + Long.SIZE + " above 0: " + size);
        }
        this.size = size;
        this.came = new long[size / Long.SIZE];
    }

    /** Whether {@link #accept} would take the number. */
    public boolean isNew(long number) {
        return number > highest || (number >= 0 && number > highest - size && (came[word(number)] & bit(number)) == 0);
    }

    /**
     * Takes a number. Only after its frame was found to be authentic, or a forged one would shut out genuine ones.
     *
     * @param number 0 or more
     * @return false if it came before, or is too far behind to tell
     */
    public boolean accept(long number) {
        if (!isNew(number)) {
            return false;
        }
        if (number > highest) {
            for (long skipped = Math.max(highest + 1, number - size + 1); skipped < number; skipped++) {
                came[word(skipped)] &= ~bit(skipped); // of a number one window earlier
            }
            highest = number;
        }
        came[word(number)] |= bit(number);
        return true;
    }

    /** The highest number taken; -1 before the first. */
    public long highest() {
        return highest;
    }

    private int word(long number) {
        return (int) (number % size) / Long.SIZE;
    }

    private static long bit(long number) {
        return 1L << number;
    }
}
