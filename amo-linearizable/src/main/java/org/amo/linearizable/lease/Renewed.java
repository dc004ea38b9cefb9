package org.amo.linearizable.lease;

import java.util.Arrays;

/**
 * The outcome of the renewals that one entry of the order carried.
 *
 * @param expires when those leases end that were live, cluster time
 * @param now the cluster time at which they were renewed
 * @param ended the ids, rising, of those that were over or never granted; must not be changed
 */
public record Renewed(ClusterTime expires, ClusterTime now, long[] ended) {

    /** The answer to the client of one of them. */
    public LeaseAnswer of(LeaseId client) {
        return Arrays.binarySearch(ended, client.value()) < 0
                ? new LeaseAnswer(LeaseAnswer.Status.LIVE, client, expires, now)
                : new LeaseAnswer(LeaseAnswer.Status.EXPIRED, client, now, now);
    }
}
