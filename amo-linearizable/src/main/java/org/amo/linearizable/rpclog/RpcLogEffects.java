package org.amo.linearizable.rpclog;

import org.amo.linearizable.lease.LeaseId;

/** Carries out the actions of {@link UnackedRpcResults}. No method may call back into it. */
public interface RpcLogEffects {
    /** The record of this call is acknowledged: it may go from disk as {@link PendingRemovals} says. */
    void acknowledged(RpcId id);

    /** The client's lease is over: its records and its bound may go from disk, all of them. */
    void forgotten(LeaseId client);
}
