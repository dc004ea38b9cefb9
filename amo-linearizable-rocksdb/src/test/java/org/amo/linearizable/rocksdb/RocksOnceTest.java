package org.amo.linearizable.rocksdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.amo.once.IdempotencyKey;
import org.amo.once.OnceExecutor;
import org.amo.once.ResultStore;
import org.amo.once.ResultStore.Completion;
import org.amo.testkit.once.ResultStoreContract;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Status;
import org.rocksdb.Transaction;
import org.rocksdb.TransactionDB;
import org.rocksdb.WriteOptions;

/** The contract over RocksDB. */
final class RocksOnceTest extends ResultStoreContract<RocksWork, RocksDBException> {
    @TempDir
    private Path folder;

    private final List<ColumnFamilyHandle> families = new ArrayList<>();
    private TransactionDB database;

    /** Calls that wait for each other: from JDK 25 on the common pool has one thread on two processors. */
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void closeDatabase() throws InterruptedException {
        threads.shutdownNow();
        // A call in a database that is closed would end the virtual machine.
        assertTrue(threads.awaitTermination(20, TimeUnit.SECONDS));
        families.forEach(ColumnFamilyHandle::close);
        database.close();
    }

    private ColumnFamilyHandle once() {
        return families.get(1);
    }

    @Override
    protected void reset() throws RocksDBException {
        families.clear();
        database = OnceStoreProcess.open(folder, families);
    }

    @Override
    protected ResultStore<RocksWork, RocksDBException> store() {
        return RocksResultStore.over(database, once(), Durability.FILE, InstantSource.system());
    }

    @Override
    protected void effect(RocksWork work, String line) throws RocksDBException {
        add(work, line);
    }

    @Override
    protected long effects(String line) throws RocksDBException {
        return number(Optional.ofNullable(database.get(families.get(0), line.getBytes(UTF_8))));
    }

    private List<byte[]> rows(char first) {
        List<byte[]> found = new ArrayList<>();
        try (RocksIterator rows = database.newIterator(once())) {
            for (rows.seekToFirst(); rows.isValid(); rows.next()) {
                if (rows.key()[0] == first) {
                    found.add(rows.key());
                }
            }
        }
        return found;
    }

    @Override
    protected long records() {
        return rows('r').size();
    }

    @Override
    protected void expireAll() throws RocksDBException {
        for (byte[] expiry : rows('e')) {
            database.delete(once(), expiry);
            database.put(once(), OnceRow.expiry(Instant.EPOCH, OnceRow.recordOf(expiry)), new byte[0]);
        }
    }

    @Override
    protected Instant now() {
        return Instant.now();
    }

    /** An embedded database is lost when it is closed. */
    @Override
    protected RocksDBException lost() {
        return new RocksDBException("lost", new Status(Status.Code.ShutdownInProgress, Status.SubCode.None, ""));
    }

    @Override
    protected RocksDBException rolledBack() {
        return new RocksDBException("conflict", new Status(Status.Code.Busy, Status.SubCode.None, ""));
    }

    private static long number(Optional<byte[]> value) {
        return value.map(bytes -> ByteBuffer.wrap(bytes).getLong()).orElse(0L);
    }

    private void add(RocksWork work, String name) throws RocksDBException {
        byte[] key = name.getBytes(UTF_8);
        long value = number(work.get(families.get(0), key)) + 1;
        work.put(
                families.get(0),
                key,
                ByteBuffer.allocate(Long.BYTES).putLong(value).array());
    }

    @Test
    void aDeadLockIsTriedAgain() throws Exception {
        OnceExecutor<RocksWork, RocksDBException> executor =
                OnceExecutor.over(store(), options().build());
        CyclicBarrier both = new CyclicBarrier(2);
        List<CompletableFuture<Void>> calls = new ArrayList<>();
        for (List<String> order : List.of(List.of("a", "b"), List.of("b", "a"))) {
            AtomicInteger runs = new AtomicInteger();
            calls.add(CompletableFuture.runAsync(
                    () -> {
                        try {
                            executor.<Exception>execute(IdempotencyKey.of("t", order.get(0)), new byte[0], work -> {
                                add(work, order.get(0));
                                if (runs.incrementAndGet() == 1) {
                                    both.await(20, TimeUnit.SECONDS);
                                }
                                add(work, order.get(1));
                                return new byte[0];
                            });
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        }
                    },
                    threads));
        }
        for (CompletableFuture<Void> each : calls) {
            each.get(20, TimeUnit.SECONDS);
        }
        assertEquals(2, effects("a"));
        assertEquals(2, effects("b"));
    }

    @Test
    void worksThatMeetLoseNoUpdate() throws Exception {
        OnceExecutor<RocksWork, RocksDBException> executor =
                OnceExecutor.over(store(), options().build());
        List<CompletableFuture<Void>> calls = new ArrayList<>();
        for (String name : List.of("one", "other")) {
            calls.add(CompletableFuture.runAsync(
                    () -> {
                        for (int i = 0; i < 200; i++) {
                            try {
                                executor.execute(IdempotencyKey.of(name, "k" + i), new byte[0], work -> {
                                    add(work, "sum");
                                    return new byte[0];
                                });
                            } catch (RocksDBException e) {
                                throw new IllegalStateException(e);
                            }
                        }
                    },
                    threads));
        }
        for (CompletableFuture<Void> each : calls) {
            each.get(20, TimeUnit.SECONDS);
        }
        assertEquals(400, effects("sum"));
    }

    @Test
    void workCannotWriteBehindItsEnd() throws Exception {
        List<RocksWork> kept = new ArrayList<>();
        OnceExecutor.over(store(), options().build()).execute(IdempotencyKey.of("t", "k"), new byte[0], work -> {
            kept.add(work);
            work.put(families.get(0), "gone".getBytes(UTF_8), new byte[Long.BYTES]);
            work.delete(families.get(0), "gone".getBytes(UTF_8));
            return new byte[0];
        });
        assertThrows(IllegalStateException.class, () -> add(kept.get(0), "x"));
        assertEquals(0, effects("gone"));
    }

    /** The test is the cleaner before, and the call that ran again behind it. */
    @Test
    void aCleanerThatWaitedForAnotherOneLeavesARecordThatWasMadeMeanwhile() throws Exception {
        families.forEach(ColumnFamilyHandle::close);
        families.clear();
        database.close();
        database = OnceStoreProcess.open(folder, families, 20_000);
        OnceExecutor<RocksWork, RocksDBException> executor =
                OnceExecutor.over(store(), options().build());
        executor.execute(IdempotencyKey.of("t", "k"), new byte[0], work -> new byte[0]);
        expireAll();
        byte[] record = rows('r').get(0);
        CompletableFuture<Integer> cleaner;
        try (WriteOptions write = new WriteOptions();
                ReadOptions read = new ReadOptions();
                Transaction before = database.beginTransaction(write)) {
            before.getForUpdate(read, once(), OnceRow.MARK, true);
            AtomicReference<Optional<Thread>> second = new AtomicReference<>(Optional.empty());
            cleaner = CompletableFuture.supplyAsync(
                    () -> {
                        second.set(Optional.of(Thread.currentThread()));
                        try {
                            return store().removeExpired(10);
                        } catch (RocksDBException e) {
                            throw new IllegalStateException(e);
                        }
                    },
                    threads);
            Awaitility.await().until(() -> waitsForALock(second.get()));
            before.delete(once(), rows('e').get(0));
            before.put(once(), OnceRow.expiry(Instant.now().plusSeconds(3_600), record), new byte[0]);
            before.commit();
        }
        assertEquals(0, cleaner.get(20, TimeUnit.SECONDS));
        assertEquals(1, records());
    }

    private static boolean waitsForALock(Optional<Thread> thread) {
        return thread.stream()
                .flatMap(each -> Arrays.stream(each.getStackTrace()))
                .anyMatch(frame -> frame.getMethodName().equals("getForUpdate"));
    }

    /** Frozen: docs/wire/rocksdb-records.md. */
    @Test
    void theBytesAreFrozen() {
        Instant time = Instant.ofEpochMilli(0x0102030405L);
        OnceRow row =
                new OnceRow(new Completion(new byte[] {7, 8}, Optional.of("paid".getBytes(UTF_8))), Optional.of(time));
        HexFormat hex = HexFormat.of();
        assertEquals("01020708010000000102030405" + "0470616964", hex.formatHex(row.encode()));
        OnceRow read = OnceRow.decode(row.encode());
        assertEquals(Optional.of(time), read.created());
        assertEquals("paid", new String(read.completion().reply().orElseThrow(), UTF_8));
        byte[] record = OnceRow.record(IdempotencyKey.of("t", "k"));
        assertEquals("7201746b", hex.formatHex(record));
        byte[] expiry = OnceRow.expiry(time, record);
        assertEquals("650000000102030405" + "7201746b", hex.formatHex(expiry));
        assertEquals("7201746b", hex.formatHex(OnceRow.recordOf(expiry)));
        assertTrue(OnceRow.isExpired(expiry, time));
        assertEquals("6d", hex.formatHex(OnceRow.MARK));
        assertEquals("0000000102030405", hex.formatHex(OnceRow.time(time)));
    }
}
