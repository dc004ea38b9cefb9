package org.amo.exon.udp;

/**
 * The numbers of the records that came under one key: each is taken once. Numbers that lie {@link #SIZE} or more behind the
 * highest count as taken, whether they came or not. One thread owns it.
 */
final class RecordWindow {
    /** Records that may be overtaken by later ones: 8,192, as many as a fast path holds. */
    static final int SIZE = 1 << 13;

    // Invariant: the bit of a number n with highest - SIZE < n <= highest says whether n came.
    private final long[] came = new long[SIZE / Long.SIZE];
    private long highest = -1;

    /** Whether the number is the highest so far, or was not taken and is not too old. */
    boolean isNew(long number) {
        return number > highest || (number > highest - SIZE && (came[word(number)] & bit(number)) == 0);
    }

    /**
     * Takes a number. Only after its record was found to be authentic, or a forged one would shut out genuine ones.
     *
     * @return whether it is the highest so far
     */
    boolean take(long number) {
        boolean rises = number > highest;
        if (rises) {
            for (long skipped = Math.max(highest + 1, number - SIZE + 1); skipped < number; skipped++) {
                came[word(skipped)] &= ~bit(skipped);
            }
            highest = number;
        }
        came[word(number)] |= bit(number);
        return rises;
    }

    private static int word(long number) {
        return (int) (number % SIZE) / Long.SIZE;
    }

    private static long bit(long number) {
        return 1L << number;
    }
}
