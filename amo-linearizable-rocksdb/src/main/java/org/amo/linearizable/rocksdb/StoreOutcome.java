package org.amo.linearizable.rocksdb;

import org.amo.linearizable.lease.ClusterTime;

/**
 * The answer to a client.
 *
 * @param status of this attempt of its call
 * @param result with DONE only
 * @param clusterTime the largest that the server has heard
 */
public record StoreOutcome(Status status, byte[] result, ClusterTime clusterTime) {
    /** How an attempt ended. */
    public enum Status {
        /** The call was executed once, now or before; here is its result, and it is durable. */
        DONE,
        /** Ask again later: the call is being executed, or the server does not know the time yet, or has no room. */
        RETRY_LATER,
        /** The client has acknowledged the call: it was executed, or abandoned. */
        STALE,
        /** The client's lease is over: this attempt did not run, and no later one will. */
        LEASE_EXPIRED,
        /** The number is beyond the window, or was used for another call before: a mistake of the client. The call did not run. */
        MISUSED,
        /** Another server has the object: ask the coordinator which. This attempt did not run. */
        ELSEWHERE
    }
}
