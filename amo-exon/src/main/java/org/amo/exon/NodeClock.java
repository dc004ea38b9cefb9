package org.amo.exon;

/**
 * ck of the paper: the one number of a node that must survive. One thread owns it.
 *
 * <p>Invariant: every value that was ever used, as rck or as a slot's number, is below a bound that was on disk
 * before. A node that starts takes the stored bound as its first value, so no value is used by two of its lives. That
 * first value is also the node's incarnation: an rck below it belongs to a former life.
 */
final class NodeClock {
    private final long range;
    private final long incarnation;
    private long next;
    private long reserved;
    private long asked;

    NodeClock(long incarnation, long reserved, long range) {
        if (incarnation < 1 || reserved <= incarnation) {
            throw new IllegalArgumentException("the clock must start at 1 or later, below its reserved bound: start="
                    + incarnation + " bound=" + reserved);
        }
        this.range = range;
        this.incarnation = incarnation;
        this.next = incarnation;
        this.reserved = reserved;
        this.asked = reserved;
    }

    long incarnation() {
        return incarnation;
    }

    long value() {
        return next;
    }

    /** First value that may not be used yet. */
    long reserved() {
        return reserved;
    }

    boolean canAdvance() {
        return next + 1 < reserved;
    }

    /** Lines 50 and 51: rck := ck; ck := ck + 1. Only if {@link #canAdvance}. */
    long takeIncarnation() {
        return next++;
    }

    /** Line 46: ck := max(ck, sck). */
    void raise(long sck) {
        next = Math.max(next, sck);
    }

    void onReserved(long bound) {
        reserved = Math.max(reserved, bound);
    }

    /** The bound to store now, as values up to {@code used} are wanted, or 0. */
    long boundToStore(long used) {
        if (Math.max(used, next) < asked - range / 2) {
            return 0;
        }
        asked = Math.max(asked, used) + range;
        return asked;
    }
}
