package org.amo.linearizable.rocksdb;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.amo.once.IdempotencyKey;
import org.amo.once.OnceException;
import org.amo.once.OnceExecutor.Work;
import org.amo.once.ResultStore;
import org.amo.once.ResultStore.Completion;
import org.amo.once.ResultStore.Request;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;
import org.rocksdb.Transaction;

/** An attempt: lock the row of the key, run the work, write the record, commit. One thread owns it. */
final class RocksTransaction implements ResultStore.Transaction<RocksWork, RocksDBException> {
    private final RocksResultStore store;
    private final Transaction transaction;

    /** While the row of its key is locked. */
    private Optional<Request> claimed = Optional.empty();

    private boolean closed;

    RocksTransaction(RocksResultStore store, Transaction transaction) {
        this.store = store;
        this.transaction = transaction;
    }

    @Override
    public boolean claim(Request request, Duration limit, boolean judge) throws RocksDBException {
        if (judge && refusal(request).isPresent()) {
            return false;
        }
        transaction.setLockTimeout(Math.max(0, limit.toMillis()));
        if (lock(OnceRow.record(request.key()), true).isPresent()) {
            return false;
        }
        transaction.setLockTimeout(request.options().deadline().toMillis());
        claimed = Optional.of(request);
        return true;
    }

    private Optional<byte[]> lock(byte[] row, boolean exclusive) throws RocksDBException {
        try (ReadOptions read = new ReadOptions()) {
            return Optional.ofNullable(transaction.getForUpdate(read, store.family(), row, exclusive));
        }
    }

    @Override
    public <X extends Exception> byte[] run(Work<RocksWork, RocksDBException, X> calls) throws RocksDBException, X {
        RocksWork work = new RocksWork(transaction);
        try {
            return calls.run(work);
        } finally {
            work.end();
        }
    }

    /** The lock of the mark is shared by calls, and keeps the cleaner out until the commit. */
    @Override
    public boolean complete(byte[] reply) throws RocksDBException {
        Request request = claimed.orElseThrow();
        Optional<Instant> created = request.key().created();
        if (created.isPresent() && !created.get().isAfter(OnceRow.mark(lock(OnceRow.MARK, false)))) {
            throw new RocksDBException(
                    "the key is too old by now", new Status(Status.Code.TryAgain, Status.SubCode.None, ""));
        }
        byte[] row = OnceRow.record(request.key());
        Instant from = created.filter(store.now()::isBefore).orElse(store.now());
        Completion completion = new Completion(request.fingerprint(), Optional.of(reply));
        transaction.put(store.family(), row, new OnceRow(completion, created).encode());
        transaction.put(
                store.family(), OnceRow.expiry(from.plus(request.options().retention()), row), new byte[0]);
        return true;
    }

    @Override
    public void commit() throws RocksDBException {
        if (claimed.isEmpty()) {
            throw new IllegalStateException("the transaction has ended");
        }
        transaction.commit();
        claimed = Optional.empty();
    }

    @Override
    public boolean rollback() {
        if (closed) {
            return true;
        }
        try {
            transaction.rollback();
            claimed = Optional.empty();
            return true;
        } catch (RocksDBException e) {
            return false;
        }
    }

    @Override
    public void abandon() {
        rollback();
    }

    /** No transaction outlives its object. */
    @Override
    public void end() {
        rollback();
    }

    @Override
    public Optional<Completion> read(IdempotencyKey key) throws RocksDBException {
        return store.get(OnceRow.record(key)).map(OnceRow::decode).map(OnceRow::completion);
    }

    @Override
    public Optional<OnceException> refusal(Request request) throws RocksDBException {
        return OnceException.refusal(request, store.now(), store.mark());
    }

    /** Closing it rolls back what was not committed. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            claimed = Optional.empty();
            transaction.close();
        }
    }
}
