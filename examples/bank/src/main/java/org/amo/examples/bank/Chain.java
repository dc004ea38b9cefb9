package org.amo.examples.bank;

/** A hash chain of 64 bits: equal ends mean equal histories, but for accidents of 1 in 2^64. */
public final class Chain {
    private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;

    private Chain() {}

    /** The end of the chain after one more value. */
    public static long next(long chain, long value) {
        long mixed = (chain ^ value) * MULTIPLIER + 1;
        return mixed ^ (mixed >>> 29);
    }
}
