package org.amo.linearizable.lease;

/**
 * What a leader of the authority stamps its inputs with: the largest cluster time that was ordered, carried on by its
 * own monotonic clock. A new leader goes on from what was ordered, so time never goes back; what passes while there is
 * no leader is not counted, which only makes leases longer. No wall clock is read, so one that is an hour off changes
 * nothing (row R13).
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
