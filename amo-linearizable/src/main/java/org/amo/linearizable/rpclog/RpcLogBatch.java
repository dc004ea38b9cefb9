package org.amo.linearizable.rpclog;

import org.amo.linearizable.lease.LeaseId;

/** Changes of the rpc log that come to the disk in one, in this order, with those of the objects. */
public interface RpcLogBatch {
    void putRecord(RpcRecord record);

    /** Replaces the client's bound. */
    void putBound(LeaseId client, long ackId);

    void removeRecord(RpcId id);

    /** All that the client has: its bound and every record. */
    void removeClient(LeaseId client);
}
