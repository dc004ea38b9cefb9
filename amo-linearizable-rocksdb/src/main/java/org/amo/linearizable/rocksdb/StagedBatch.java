package org.amo.linearizable.rocksdb;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.amo.linearizable.lease.LeaseId;
import org.amo.linearizable.rpclog.RpcId;
import org.amo.linearizable.rpclog.RpcLogBatch;
import org.amo.linearizable.rpclog.RpcRecord;
import org.rocksdb.RocksDBException;

/** Stages changes that are written in one; its calls see each other's changes before that. One thread owns it. */
final class StagedBatch implements RpcLogBatch, AutoCloseable {
    private final RocksFiles files;
    private final StoreChanges changes;
    private final Map<ObjectKey, Optional<StoredObject>> objects = new HashMap<>();
    private final List<RpcRecord> records = new ArrayList<>();

    /** @param encodes whether backups get the changes, too */
    StagedBatch(RocksFiles files, boolean encodes) {
        this.files = files;
        this.changes = new StoreChanges(files, encodes);
    }

    boolean isEmpty() {
        return changes.isEmpty();
    }

    StoreChanges changes() {
        return changes;
    }

    List<RpcRecord> records() {
        return records;
    }

    Optional<StoredObject> object(ObjectKey key) throws RocksDBException {
        Optional<StoredObject> staged = objects.get(key);
        if (staged != null) {
            return staged;
        }
        return Optional.ofNullable(files.db().get(files.objects(), key.row())).map(StoreFormat::object);
    }

    void putObject(ObjectKey key, StoredObject object) throws RocksDBException {
        changes.put(StoreChanges.OBJECTS, key.row(), StoreFormat.object(object));
        objects.put(key, Optional.of(object));
    }

    void deleteObject(ObjectKey key, long leastVersion) throws RocksDBException {
        changes.delete(StoreChanges.OBJECTS, key.row());
        putLeastVersion(leastVersion);
        objects.put(key, Optional.empty());
    }

    void putLeastVersion(long version) throws RocksDBException {
        changes.put(StoreChanges.DEFAULT, StoreFormat.VERSION_ROW, StoreFormat.number(version));
    }

    @Override
    public void putRecord(RpcRecord record) {
        records.add(record);
        change(() -> changes.put(StoreChanges.RPCS, StoreFormat.rpc(record.id()), record.encode()));
    }

    @Override
    public void putBound(LeaseId client, long ackId) {
        change(() -> changes.put(StoreChanges.RPCS, StoreFormat.rpc(client.value(), 0), StoreFormat.number(ackId)));
    }

    @Override
    public void removeRecord(RpcId id) {
        change(() -> changes.delete(StoreChanges.RPCS, StoreFormat.rpc(id)));
    }

    @Override
    public void removeClient(LeaseId client) {
        change(() -> changes.deleteRange(
                StoreChanges.RPCS,
                StoreFormat.rpc(client.value(), 0),
                StoreFormat.rpc(client.value(), Long.MAX_VALUE)));
    }

    private interface Change {
        void make() throws RocksDBException;
    }

    private static void change(Change change) {
        try {
            change.make();
        } catch (RocksDBException e) {
            throw new StoreException("cannot prepare a write: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        changes.close();
    }
}
