package org.amo.linearizable.lease;

/**
 * Gives the time with which a leader of the authority stamps its inputs: the largest ordered cluster time, carried on by
 * the leader's own monotonic clock. A new leader goes on from the ordered time, so time never goes back. Time without a
 * leader is not counted, which only makes leases longer. No wall clock is read, so a wall clock that is an hour off
 * changes nothing.
 *
 * <p>{@code monotonicMillis} is one machine's. One thread owns it.
 */
public final class ClusterClock {
    private ClusterTime base;
    private long baseAtMillis;

    public ClusterClock(ClusterTime ordered, long monotonicMillis) {
        base = ordered;
        baseAtMillis = monotonicMillis;
    }

    public ClusterTime read(long monotonicMillis) {
        return base.plusMillis(Math.max(0, monotonicMillis - baseAtMillis));
    }

    /** An input with this stamp was ordered; it may be another leader's. */
    public void onOrdered(ClusterTime stamp, long monotonicMillis) {
        if (stamp.isAfter(read(monotonicMillis))) {
            base = stamp;
            baseAtMillis = monotonicMillis;
        }
    }
}
