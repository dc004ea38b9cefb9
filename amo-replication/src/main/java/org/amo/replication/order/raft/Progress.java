package org.amo.replication.order.raft;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Tells whether RAFT's thread stands still: it waits for the disk, or committed entries wait because the servant takes none.
 * It counts the ticks of this member and not the time, since a process that was stopped has not ticked either.
 *
 * <p>RAFT's thread tells its progress, one thread ticks, any thread asks.
 */
final class Progress {
    /** Ten seconds: beyond the nine for which flow control may hold up a message to a member that has stopped. */
    static final int STILL_TICKS = (int) (10_000 / LeaderWatch.TICK_MILLIS);

    private final AtomicLong turns = new AtomicLong();
    private volatile boolean underWay;
    private volatile boolean still;

    // The ticking thread's.
    private long seen;
    private int ticks;

    /** RAFT's thread begins something. */
    void begins() {
        underWay = true;
    }

    /** A part of it is done. */
    void advances() {
        turns.incrementAndGet();
    }

    /** @param entriesWait whether committed entries wait for room */
    void ends(boolean entriesWait) {
        underWay = entriesWait;
        if (!entriesWait) {
            advances();
        }
    }

    boolean isStill() {
        return still;
    }

    /** @return whether {@link #isStill} has changed */
    boolean onTick() {
        long now = turns.get();
        ticks = underWay && now == seen ? ticks + 1 : 0;
        seen = now;
        boolean before = still;
        still = ticks >= STILL_TICKS;
        return still != before;
    }
}
