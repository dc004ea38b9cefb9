package org.amo.linearizable.rocksdb;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.amo.once.IdempotencyKey;
import org.amo.once.OnceExecutor;
import org.amo.once.OnceExecutor.Reply;
import org.amo.once.OnceOptions;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.DBOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.TransactionDB;
import org.rocksdb.TransactionDBOptions;

/** A service with RocksDB: it calls without end until it is killed. Prints {@code KEY REPLY} behind each call. */
final class OnceStoreProcess implements AutoCloseable {
    /** RocksDB's default. */
    private static final long LOCK_MILLIS = 1_000;

    private final List<ColumnFamilyHandle> families = new ArrayList<>();
    private final TransactionDB database;
    private final OnceExecutor<RocksWork, RocksDBException> executor;

    OnceStoreProcess(Path folder) throws RocksDBException {
        database = open(folder, families);
        executor = OnceExecutor.over(
                RocksResultStore.over(database, families.get(1), Durability.FILE, InstantSource.system()),
                OnceOptions.builder().build());
    }

    /** @param families gets that of the service, and that of the records */
    static TransactionDB open(Path folder, List<ColumnFamilyHandle> families) throws RocksDBException {
        return open(folder, families, LOCK_MILLIS);
    }

    /** @param lockMillis how long a cleaner waits for a lock */
    static TransactionDB open(Path folder, List<ColumnFamilyHandle> families, long lockMillis) throws RocksDBException {
        RocksLibrary.load(folder);
        try (DBOptions options = new DBOptions().setCreateIfMissing(true).setCreateMissingColumnFamilies(true);
                TransactionDBOptions locks = new TransactionDBOptions().setTransactionLockTimeout(lockMillis)) {
            List<ColumnFamilyDescriptor> descriptors = List.of(
                    new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY),
                    new ColumnFamilyDescriptor("once".getBytes(UTF_8)));
            return TransactionDB.open(options, locks, folder.resolve("data").toString(), descriptors, families);
        }
    }

    /** An effect that is counted, and a reply that no other run gives. */
    Reply pay(String key) throws RocksDBException {
        byte[] name = key.getBytes(UTF_8);
        return executor.execute(IdempotencyKey.of("t", key), name, work -> {
            long before = work.get(families.get(0), name)
                    .map(value -> ByteBuffer.wrap(value).getLong())
                    .orElse(0L);
            byte[] after = ByteBuffer.allocate(Long.BYTES).putLong(before + 1).array();
            work.put(families.get(0), name, after);
            return UUID.randomUUID().toString().getBytes(UTF_8);
        });
    }

    long effects(String key) throws RocksDBException {
        byte[] value = database.get(families.get(0), key.getBytes(UTF_8));
        return value == null ? 0 : ByteBuffer.wrap(value).getLong();
    }

    @Override
    public void close() {
        families.forEach(ColumnFamilyHandle::close);
        database.close();
    }

    /** @param arguments the folder, and the first of the numbers that are the keys */
    public static void main(String[] arguments) throws RocksDBException {
        try (OnceStoreProcess service = new OnceStoreProcess(Path.of(arguments[0]))) {
            for (int i = Integer.parseInt(arguments[1]); true; i++) {
                System.out.println(i + " " + service.pay("k" + i).text());
                System.out.flush();
            }
        }
    }
}
