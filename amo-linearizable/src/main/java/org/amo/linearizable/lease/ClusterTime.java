package org.amo.linearizable.lease;

/**
 * The one clock of a cluster: milliseconds that the authority counts; servers and clients only hear of them. Cluster time
 * never goes back, has no meaningful origin, and is compared with no wall clock (Park, section V-B).
 *
 * @param millis from 0 to 2^53
 */
public record ClusterTime(long millis) implements Comparable<ClusterTime> {
    /** So large that sums with a lease's term cannot overflow. */
    public static final long MAX_MILLIS = 1L << 53;

    /** The first time of a new cluster; at servers and clients it says that nothing was heard yet. */
    public static final ClusterTime ZERO = new ClusterTime(0);

    public ClusterTime {
        if (millis < 0 || millis > MAX_MILLIS) {
            throw new IllegalArgumentException("a cluster time is between 0 and 2^53 ms, not " + millis);
        }
    }

    public boolean isAfter(ClusterTime other) {
        return millis > other.millis;
    }

    public ClusterTime plusMillis(long more) {
        return new ClusterTime(Math.min(MAX_MILLIS, millis + more));
    }

    public static ClusterTime max(ClusterTime a, ClusterTime b) {
        return a.millis >= b.millis ? a : b;
    }

    @Override
    public int compareTo(ClusterTime other) {
        return Long.compare(millis, other.millis);
    }
}
