package org.amo.determinism.runtime;

/** Spreads numbers that lie close together. */
final class Mixing {
    private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;

    private Mixing() {}

    /** The finalizer of SplitMix64. */
    static long mix(long value) {
        long z = (value ^ (value >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D0_49BB_1331_11EBL;
        return z ^ (z >>> 31);
    }

    /** An identity hash: positive, and never 0, which says that there is none yet. */
    static int identity(long seed, int number) {
        int hash = (int) (mix(seed + number * GOLDEN) >>> 33);
        return hash == 0 ? 1 : hash;
    }
}
