package org.amo.replication;

import java.util.function.LongSupplier;

/**
 * Tells when the log of one member is long enough for a snapshot. It is due after so many bytes, for the room on the disk, and after so
 * many entries, for the time that a start takes to execute them again; the latter only if snapshots take a hundredth of the time at
 * most, so that a large state is not written again and again. One thread at a time.
 */
final class LogGrowth {
    static final long DEFAULT_BYTES = 64L << 20;

    /** A start takes about a second for them while its code is not compiled. */
    static final long DEFAULT_ENTRIES = 1_000;

    /** Time between two snapshots for the sake of entries, as a multiple of the cost of the first one. */
    private static final long TIMES_THE_COST = 100;

    /** After a snapshot that was impossible, the next one comes earlier by this. */
    private static final int TRIES = 8;

    private final long mostBytes;
    private final long mostEntries;
    private final LongSupplier nanoTime;

    private long bytes;
    private long entries;
    private long beginNanos;
    private long costNanos;

    /**
     * @param place of this member among the others, from 0. Members take turns, since one that takes the state of its servant executes
     *     nothing meanwhile
     * @param nanoTime as {@link System#nanoTime}
     */
    LogGrowth(long mostBytes, long mostEntries, int place, int members, LongSupplier nanoTime) {
        this.mostBytes = mostBytes;
        this.mostEntries = mostEntries;
        this.nanoTime = nanoTime;
        int others = members - place - 1;
        bytes = mostBytes / members * others;
        entries = mostEntries / members * others;
        beginNanos = nanoTime.getAsLong();
    }

    /** One more entry. */
    void add(int length) {
        bytes += length;
        entries++;
    }

    /** Whether it is time for a snapshot. */
    boolean isDue() {
        return bytes >= mostBytes
                || (entries >= mostEntries && nanoTime.getAsLong() - beginNanos >= TIMES_THE_COST * costNanos);
    }

    /** A snapshot begins, or another member's was put in place. */
    void restart() {
        bytes = 0;
        entries = 0;
        costNanos = 0;
        beginNanos = nanoTime.getAsLong();
    }

    /** The snapshot that has begun cannot be: the next one is due after an eighth of the growth. */
    void retryLater() {
        bytes = mostBytes - mostBytes / TRIES;
        entries = mostEntries - mostEntries / TRIES;
    }

    /** The last snapshot took so much more time of a thread, whether it will be kept or not. */
    void spend(long nanos) {
        costNanos += nanos;
    }
}
