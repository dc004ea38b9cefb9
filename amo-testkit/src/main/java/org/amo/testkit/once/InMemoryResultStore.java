package org.amo.testkit.once;

import java.nio.ByteBuffer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.amo.base.Experimental;
import org.amo.once.IdempotencyKey;
import org.amo.once.OnceException;
import org.amo.once.OnceExecutor.Work;
import org.amo.once.ResultStore;

/**
 * Completion records and a map of numbers in memory, for tests of a service without its database, and as the shortest example of a
 * {@link ResultStore}. A claim is leased for the deadline of its executor: then another attempt may take it, and the former one cannot
 * commit any more. All of it is lost with the process. Any thread; one lock guards it.
 */
@Experimental
public class InMemoryResultStore implements ResultStore<InMemoryResultStore.Numbers, InMemoryResultStore.Failure> {
    private final Clock clock;

    // All below is guarded by this.
    private final Map<String, Long> numbers = new HashMap<>();
    private final Map<List<ByteBuffer>, Row> rows = new HashMap<>();
    private Instant forgottenTo = Instant.EPOCH;
    private int waiting;

    /** The row of a key: held by a transaction until it has its completion, or the lease has ended. */
    static final class Row {
        private final Transaction<Numbers, Failure> owner;
        private final Instant leasedTo;
        private Optional<Completion> completion = Optional.empty();
        private Optional<Instant> created = Optional.empty();
        private Instant expires = Instant.MAX;

        Row(Transaction<Numbers, Failure> owner, Instant leasedTo) {
            this.owner = owner;
            this.leasedTo = leasedTo;
        }
    }

    /** An error of this store. */
    public static final class Failure extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final Fault fault;

        /** @param fault that an executor is to see */
        public Failure(Fault fault, String message) {
            super(message);
            this.fault = fault;
        }
    }

    /** The numbers as the work of a transaction sees and changes them, until it ends. */
    public static final class Numbers {
        private final InMemoryResultStore store;
        private final Map<String, Long> added = new HashMap<>();
        private boolean ended;

        private Numbers(InMemoryResultStore store) {
            this.store = store;
        }

        /** The number of a name; 0 if there is none. */
        public long get(String name) {
            requireOpen();
            return store.get(name) + added.getOrDefault(name, 0L);
        }

        /** Adds to the number of a name. */
        public void add(String name, long amount) {
            requireOpen();
            added.merge(name, amount, Long::sum);
        }

        private void requireOpen() {
            if (ended) {
                throw new IllegalStateException("the work has ended, and its numbers with it");
            }
        }
    }

    /** @param clock of the store */
    public InMemoryResultStore(Clock clock) {
        this.clock = clock;
    }

    /** The number of a name as committed; 0 if there is none. */
    public synchronized long get(String name) {
        return numbers.getOrDefault(name, 0L);
    }

    @Override
    public Transaction<Numbers, Failure> begin() {
        return new Attempt(this);
    }

    @Override
    public synchronized int removeExpired(int most) {
        int removed = 0;
        Iterator<Row> each = rows.values().iterator();
        while (each.hasNext() && removed < most) {
            Row row = each.next();
            if (isExpired(row)) {
                // The row of an ended lease has no time: its transaction finds out that the row is gone.
                row.created.ifPresent(this::raise);
                each.remove();
                removed++;
            }
        }
        return removed;
    }

    /** Records with a reply. */
    synchronized int records() {
        return (int)
                rows.values().stream().filter(row -> row.completion.isPresent()).count();
    }

    /** As if the retention of all records had passed. */
    synchronized void expireAll() {
        rows.values().forEach(row -> row.expires = Instant.EPOCH);
    }

    /** Claims that wait for the end of another one. */
    synchronized int waiting() {
        return waiting;
    }

    private Instant now() {
        return clock.instant();
    }

    // ---- seams of the mutants ----

    boolean isExpired(Row row) {
        return !(row.completion.isPresent() ? row.expires : row.leasedTo).isAfter(now());
    }

    boolean isHeld(Row row) {
        return row.completion.isEmpty() && row.leasedTo.isAfter(now());
    }

    List<ByteBuffer> keyOf(IdempotencyKey key) {
        return List.of(ByteBuffer.wrap(key.tenantBytes()), ByteBuffer.wrap(key.textBytes()));
    }

    void raise(Instant created) {
        setForgottenTo(created.isAfter(forgottenTo) ? created : forgottenTo);
    }

    final void setForgottenTo(Instant mark) {
        forgottenTo = mark;
    }

    private boolean isForgotten(Instant created) {
        return !created.isAfter(forgottenTo);
    }

    /** At the commit: whether the claim holds, and the low-water mark is below the key. */
    boolean mayCommit(boolean isClaimed, Optional<Instant> created) {
        return isClaimed && created.filter(this::isForgotten).isEmpty();
    }

    // ---- transactions ----

    /** An attempt; a seam of the mutants. */
    static class Attempt implements Transaction<Numbers, Failure> {
        private final InMemoryResultStore store;
        private final Numbers numbers;
        private Optional<Request> claimed = Optional.empty();
        private Optional<Completion> completion = Optional.empty();

        Attempt(InMemoryResultStore store) {
            this.store = store;
            numbers = new Numbers(store);
        }

        @Override
        public boolean claim(Request request, Duration limit, boolean judge) {
            synchronized (store) {
                if (judge && refusal(request).isPresent()) {
                    return false;
                }
                List<ByteBuffer> key = store.keyOf(request.key());
                long end = System.nanoTime() + limit.toNanos();
                Row row = store.rows.get(key);
                while (row != null && store.isHeld(row)) {
                    await(end, Duration.between(store.now(), row.leasedTo));
                    row = store.rows.get(key);
                }
                if (row != null && row.completion.isPresent()) {
                    return false;
                }
                Instant leasedTo = store.now().plus(request.options().deadline());
                store.rows.put(key, new Row(this, leasedTo));
                claimed = Optional.of(request);
                return true;
            }
        }

        /** Until a row has changed, or the lease may have ended. */
        private void await(long end, Duration lease) {
            long left = Math.min(TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime()), lease.toMillis() + 1);
            if (left <= 0) {
                throw new Failure(Fault.BUSY, "another transaction has the key");
            }
            store.waiting++;
            try {
                store.wait(left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new Failure(Fault.LOST, "interrupted");
            } finally {
                store.waiting--;
            }
        }

        @Override
        public <X extends Exception> byte[] run(Work<Numbers, Failure, X> work) throws X {
            try {
                return work.run(numbers);
            } finally {
                numbers.ended = true;
            }
        }

        @Override
        public boolean complete(byte[] reply) {
            completion = claimed.map(request -> new Completion(request.fingerprint(), Optional.of(reply)));
            return true;
        }

        @Override
        public void commit() {
            synchronized (store) {
                Request request = claimed.orElseThrow();
                Optional<Row> row = ownRow();
                Optional<Instant> created = request.key().created();
                if (!store.mayCommit(row.isPresent(), created)) {
                    throw new Failure(Fault.ROLLED_BACK, "the claim was lost, or the key is too old by now");
                }
                Row kept = row.orElseGet(() -> new Row(this, Instant.MAX));
                kept.completion = completion;
                kept.created = created;
                Instant from = created.filter(store.now()::isBefore).orElse(store.now());
                kept.expires = from.plus(request.options().retention());
                store.rows.put(store.keyOf(request.key()), kept);
                numbers.added.forEach((name, amount) -> store.numbers.merge(name, amount, Long::sum));
                claimed = Optional.empty();
                store.notifyAll();
            }
        }

        final void putRecord(Request request) {
            Row row = new Row(this, Instant.MAX);
            row.completion = completion;
            row.created = request.key().created();
            Instant from = row.created.filter(store.now()::isBefore).orElse(store.now());
            row.expires = from.plus(request.options().retention());
            store.rows.put(store.keyOf(request.key()), row);
        }

        private Optional<Row> ownRow() {
            return claimed.flatMap(request -> Optional.ofNullable(store.rows.get(store.keyOf(request.key())))
                    .filter(row -> row.owner == this && row.completion.isEmpty()));
        }

        @Override
        public boolean rollback() {
            synchronized (store) {
                if (ownRow().isPresent()) {
                    store.rows.remove(store.keyOf(claimed.orElseThrow().key()));
                    store.notifyAll();
                }
                claimed = Optional.empty();
                return true;
            }
        }

        @Override
        public void abandon() {
            rollback();
        }

        @Override
        public void end() {
            rollback();
        }

        @Override
        public Optional<Completion> read(IdempotencyKey key) {
            synchronized (store) {
                return Optional.ofNullable(store.rows.get(store.keyOf(key))).flatMap(row -> row.completion);
            }
        }

        @Override
        public Optional<OnceException> refusal(Request request) {
            synchronized (store) {
                return OnceException.refusal(request, store.now(), store.forgottenTo);
            }
        }

        @Override
        public void close() {
            rollback();
        }
    }

    @Override
    public Fault fault(Failure error) {
        return error.fault;
    }

    @Override
    public Optional<Failure> own(Throwable thrown) {
        return thrown instanceof Failure failure ? Optional.of(failure) : Optional.empty();
    }
}
