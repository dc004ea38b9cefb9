package org.amo.linearizable.rocksdb;

import org.amo.linearizable.lease.LeaseId;
import org.amo.linearizable.rpclog.RpcId;
import org.amo.linearizable.rpclog.RpcLogBatch;
import org.amo.linearizable.rpclog.RpcRecord;
import org.rocksdb.RocksDBException;

/**
 * Writes a range that is taken over, in parts of some megabytes. A crash may leave the first parts on disk: objects and
 * records of a range that the coordinator has not given to this server. They are not served, and the next attempt clears or
 * overwrites them. Bounds of clients come behind all records, so that a part with them is the last.
 *
 * <p>A part ends before an object or a record alone: a removal and the bound that covers it are one write. One thread owns
 * it.
 */
final class RangeBatch implements RpcLogBatch, AutoCloseable {
    /** A part ends with the row that reaches so many bytes. */
    static final int PART_BYTES = 4 << 20;

    private final StoreWriter writer;
    private StagedBatch part;

    RangeBatch(StoreWriter writer) {
        this.writer = writer;
        this.part = writer.stage();
    }

    void putObject(byte[] row, byte[] value) {
        endPart();
        try {
            part.changes().put(StoreChanges.OBJECTS, row, value);
        } catch (RocksDBException e) {
            throw new StoreException("cannot prepare a write: " + e.getMessage(), e);
        }
    }

    void deleteObject(byte[] row) {
        endPart();
        try {
            part.changes().delete(StoreChanges.OBJECTS, row);
        } catch (RocksDBException e) {
            throw new StoreException("cannot prepare a write: " + e.getMessage(), e);
        }
    }

    void putLeastVersion(long version) throws RocksDBException {
        part.putLeastVersion(version);
    }

    @Override
    public void putRecord(RpcRecord record) {
        endPart();
        part.putRecord(record);
    }

    @Override
    public void putBound(LeaseId client, long ackId) {
        part.putBound(client, ackId);
    }

    @Override
    public void removeRecord(RpcId id) {
        part.removeRecord(id);
    }

    @Override
    public void removeClient(LeaseId client) {
        part.removeClient(client);
    }

    /** A write that fails must end the store, as any other does: so it is no StoreException. */
    private void endPart() {
        if (part.changes().size() < PART_BYTES) {
            return;
        }
        try {
            write();
        } catch (RocksDBException e) {
            throw new IllegalStateException("a part of a range was not written: " + e.getMessage(), e);
        }
    }

    /** Writes the part that is staged. */
    void write() throws RocksDBException {
        writer.write(part.changes());
        part.close();
        part = writer.stage();
    }

    @Override
    public void close() {
        part.close();
    }
}
