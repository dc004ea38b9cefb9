package org.amo.replication.order.raft;

import java.nio.ByteBuffer;
import org.jgroups.protocols.raft.Log;
import org.jspecify.annotations.Nullable;

/** A log that knows how much its entries take. RAFT's thread. */
interface MeasuredLog extends Log {
    /** @return how many entries up to this index take no more than these bytes together; 0 if that is not in the log */
    long newest(long index, long bytes);

    @Override
    default void setSnapshot(ByteBuffer snapshot) {
        throw new UnsupportedOperationException("snapshots are kept in SnapshotFile");
    }

    @Override
    default @Nullable ByteBuffer getSnapshot() {
        return null;
    }
}
