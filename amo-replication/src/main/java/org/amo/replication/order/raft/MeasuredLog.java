package org.amo.replication.order.raft;

import org.jgroups.protocols.raft.Log;

/** A log that knows how much its entries take. RAFT's thread. */
interface MeasuredLog extends Log {
    /** @return how many entries up to this index take no more than these bytes together; 0 if that is not in the log */
    long newest(long index, long bytes);
}
