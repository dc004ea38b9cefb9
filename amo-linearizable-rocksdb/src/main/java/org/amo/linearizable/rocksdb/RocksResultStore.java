package org.amo.linearizable.rocksdb;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.amo.base.Experimental;
import org.amo.once.ResultStore;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Status;
import org.rocksdb.TransactionDB;
import org.rocksdb.TransactionOptions;
import org.rocksdb.WriteOptions;

/**
 * Completion records in the RocksDB that a service has embedded, with pessimistic transactions: the record of a call is written by the
 * same transaction as the call's own changes, and the lock of its row is the fence. Answered calls survive kill -9, and with {@link
 * Durability#FSYNC} the loss of power.
 *
 * <p>For keys that callers choose. Calls under a lease of their client, and ranges that move between servers, are {@link
 * LinearizableStore}'s.
 */
@Experimental
public final class RocksResultStore implements ResultStore<RocksWork, RocksDBException> {
    private final TransactionDB database;
    private final ColumnFamilyHandle family;
    private final Durability durability;
    private final InstantSource clock;

    private RocksResultStore(
            TransactionDB database, ColumnFamilyHandle family, Durability durability, InstantSource clock) {
        this.database = database;
        this.family = family;
        this.durability = durability;
        this.clock = clock;
    }

    /**
     * A store over a database that stays the caller's.
     *
     * @param family for the records alone
     * @param clock of the service, such as {@code InstantSource.system()}; if it jumps ahead, records leave early
     */
    public static RocksResultStore over(
            TransactionDB database, ColumnFamilyHandle family, Durability durability, InstantSource clock) {
        return new RocksResultStore(database, family, durability, clock);
    }

    @Override
    public Transaction<RocksWork, RocksDBException> begin() {
        return new RocksTransaction(this, beginNative());
    }

    private org.rocksdb.Transaction beginNative() {
        try (WriteOptions write = new WriteOptions().setSync(durability == Durability.FSYNC);
                TransactionOptions options = new TransactionOptions().setDeadlockDetect(true)) {
            return database.beginTransaction(write, options);
        }
    }

    ColumnFamilyHandle family() {
        return family;
    }

    Instant now() {
        return Instant.ofEpochMilli(clock.millis());
    }

    /** A row as committed. */
    Optional<byte[]> get(byte[] row) throws RocksDBException {
        return Optional.ofNullable(database.get(family, row));
    }

    Instant mark() throws RocksDBException {
        return OnceRow.mark(get(OnceRow.MARK));
    }

    /** Cleaners follow each other: the lock of the mark comes first. */
    @Override
    public int removeExpired(int most) throws RocksDBException {
        try (org.rocksdb.Transaction transaction = beginNative();
                ReadOptions read = new ReadOptions()) {
            Instant mark =
                    OnceRow.mark(Optional.ofNullable(transaction.getForUpdate(read, family, OnceRow.MARK, true)));
            int removed = removeExpired(transaction, read, mark, most);
            transaction.commit();
            return removed;
        }
    }

    /** Behind the lock: rows as they were before it may name a record that went since, and was made anew by a later call. */
    private int removeExpired(org.rocksdb.Transaction transaction, ReadOptions read, Instant before, int most)
            throws RocksDBException {
        try (RocksIterator rows = database.newIterator(family, read)) {
            Instant mark = before;
            int removed = 0;
            rows.seek(OnceRow.FIRST_EXPIRY);
            while (removed < most && rows.isValid() && OnceRow.isExpired(rows.key(), now())) {
                byte[] record = OnceRow.recordOf(rows.key());
                byte[] value = transaction.getForUpdate(read, family, record, true);
                if (value != null) {
                    Instant created = OnceRow.decode(value).created().orElse(Instant.EPOCH);
                    if (created.isAfter(mark)) {
                        mark = created;
                        transaction.put(family, OnceRow.MARK, OnceRow.time(mark));
                    }
                    transaction.delete(family, record);
                    removed++;
                }
                transaction.delete(family, rows.key());
                rows.next();
            }
            rows.status();
            return removed;
        }
    }

    @Override
    public Optional<RocksDBException> own(Throwable thrown) {
        return thrown instanceof RocksDBException e ? Optional.of(e) : Optional.empty();
    }

    @Override
    public Fault fault(RocksDBException error) {
        Status status = error.getStatus();
        if (status == null) {
            return Fault.OTHER;
        }
        return switch (status.getCode()) {
            case TimedOut -> Fault.BUSY;
            case ShutdownInProgress -> Fault.LOST;
            case Busy, TryAgain, Expired -> Fault.ROLLED_BACK;
            default -> Fault.OTHER;
        };
    }
}
