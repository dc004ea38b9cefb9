package org.amo.linearizable.lease;

/**
 * The authority's answer about a lease.
 *
 * @param status of the lease at {@code now}
 * @param client that the lease is for
 * @param expires the cluster time at which it ends, or ended at the latest: no attempt of a call claims a later one
 * @param now the cluster time of the answer; if the lease is live, before {@code expires}
 */
public record LeaseAnswer(Status status, LeaseId client, ClusterTime expires, ClusterTime now) {
    /** How a lease stands. */
    public enum Status {
        /** The client's state must be kept. */
        LIVE,
        /** Over, or never granted: it will not be live again, for any asker. */
        EXPIRED,
        /** Nothing was granted, because the authority keeps as many leases as it may. The id means nothing. */
        FULL
    }

    public boolean isLive() {
        return status == Status.LIVE;
    }
}
