package org.amo.linearizable.rocksdb;

import java.util.Optional;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteOptions;

/** Writes to the store's own disk and to its backups at the same time. One thread owns it; it blocks. */
final class StoreWriter implements AutoCloseable {
    private final RocksFiles files;
    private final WriteOptions options;
    private final Optional<BackupLog> backups;

    StoreWriter(RocksFiles files, Durability durability, Optional<BackupLog> backups) {
        this.files = files;
        this.options = new WriteOptions().setSync(durability == Durability.FSYNC);
        this.backups = backups;
    }

    boolean hasBackups() {
        return backups.isPresent();
    }

    StagedBatch stage() {
        return new StagedBatch(files, hasBackups());
    }

    /** Durable here and at all backups when it returns. */
    void write(StoreChanges changes) throws RocksDBException {
        if (backups.isPresent()) {
            backups.get().append(changes.toBytes());
        }
        files.db().write(options, changes.batch());
        if (backups.isPresent()) {
            backups.get().await();
        }
    }

    /** When it returns, no newer process of this server has written anything: a read of this store is right. */
    void confirm() throws RocksDBException {
        if (backups.isPresent()) {
            backups.get().confirm();
        }
    }

    /** Has backups remove the logs before the present one. Waits for nothing. */
    void prune() {
        backups.ifPresent(BackupLog::prune);
    }

    @Override
    public void close() {
        options.close();
    }
}
