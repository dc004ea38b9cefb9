package org.amo.linearizable.lease;

/**
 * Cluster time made from the times of an ordered log alone, so that all members count alike and no leader stamps
 * anything: each entry adds the growth of the log's time since the entry before, but never more than a step. A jump of the
 * log's time (its members' wall clocks were set by an hour, or no member was up for an hour) costs a lease one step; the
 * rest is not counted, which only makes leases longer. The component that runs it sees to entries at least twice a step.
 *
 * <p>Promises never to fall and, as long as the log's time jumps at most once a step, to run at most twice as fast as
 * it. One thread owns it; a snapshot holds {@link #now} and {@link #lastMillis}.
 */
public final class OrderedClock {
    /** {@link #lastMillis} before the first entry. */
    public static final long NOTHING_ORDERED = Long.MIN_VALUE;

    private final long stepMillis;
    private ClusterTime now;
    private long lastMillis;

    /** @param stepMillis at least 1; the most that one entry adds */
    public OrderedClock(long stepMillis) {
        this(stepMillis, ClusterTime.ZERO, NOTHING_ORDERED);
    }

    /** Goes on from a snapshot. */
    public OrderedClock(long stepMillis, ClusterTime now, long lastMillis) {
        if (stepMillis < 1) {
            throw new IllegalArgumentException("a step is at least 1 ms, not " + stepMillis);
        }
        this.stepMillis = stepMillis;
        this.now = now;
        this.lastMillis = lastMillis;
    }

    /** An entry with that time was ordered; the answer is the cluster time at it. */
    public ClusterTime onOrdered(long orderedMillis) {
        if (lastMillis != NOTHING_ORDERED && orderedMillis > lastMillis) {
            now = now.plusMillis(Math.min(stepMillis, orderedMillis - lastMillis));
        }
        lastMillis = Math.max(lastMillis, orderedMillis);
        return now;
    }

    public ClusterTime now() {
        return now;
    }

    /** The largest time of an entry. */
    public long lastMillis() {
        return lastMillis;
    }
}
