package org.amo.linearizable.rpclog;

import org.amo.linearizable.lease.LeaseId;

/**
 * The identification of a call: the client ID and the rpc ID of the paper (section III-A).
 *
 * @param client that calls, under its lease
 * @param number 1, 2, 3 … per client
 */
public record RpcId(LeaseId client, long number) {
    public static final long MAX_NUMBER = 1L << 62;

    public RpcId {
        if (number < 1 || number > MAX_NUMBER) {
            throw new IllegalArgumentException("an rpc number is between 1 and 2^62, not " + number);
        }
    }
}
