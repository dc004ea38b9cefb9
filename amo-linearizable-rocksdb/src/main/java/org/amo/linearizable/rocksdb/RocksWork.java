package org.amo.linearizable.rocksdb;

import java.util.Optional;
import org.amo.base.Experimental;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.Transaction;

/**
 * The reads and writes of a call in a {@link RocksResultStore}. A read locks its key until the end of the transaction, so what it found
 * holds at the commit, and it sees the writes before it. One thread owns it; it serves until the work ends.
 */
@Experimental
public final class RocksWork {
    private final Transaction transaction;
    private boolean ended;

    RocksWork(Transaction transaction) {
        this.transaction = transaction;
    }

    /** @return empty if there is no such key */
    public Optional<byte[]> get(ColumnFamilyHandle family, byte[] key) throws RocksDBException {
        requireOpen();
        try (ReadOptions options = new ReadOptions()) {
            return Optional.ofNullable(transaction.getForUpdate(options, family, key, true));
        }
    }

    public void put(ColumnFamilyHandle family, byte[] key, byte[] value) throws RocksDBException {
        requireOpen();
        transaction.put(family, key, value);
    }

    public void delete(ColumnFamilyHandle family, byte[] key) throws RocksDBException {
        requireOpen();
        transaction.delete(family, key);
    }

    private void requireOpen() {
        if (ended) {
            throw new IllegalStateException("the work has ended, and its transaction with it");
        }
    }

    void end() {
        ended = true;
    }
}
