package org.amo.testkit.once;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.amo.once.IdempotencyKey;
import org.amo.once.OnceException;
import org.amo.once.OnceExecutor.Work;
import org.amo.once.ResultStore;

/** A store whose first commits have another fate than their caller hears of; then the real one. */
final class FaultyStore<C, E extends Exception> implements ResultStore<C, E> {
    private final ResultStore<C, E> real;
    private final AtomicInteger left;
    private final Commit<C, E> commit;

    /** How many claims have begun. */
    final AtomicInteger claims = new AtomicInteger();

    /** In place of a commit; throws what the executor hears. */
    interface Commit<C, E extends Exception> {
        void on(Transaction<C, E> transaction) throws E;
    }

    FaultyStore(ResultStore<C, E> real, int times, Commit<C, E> commit) {
        this.real = real;
        this.commit = commit;
        left = new AtomicInteger(times);
    }

    /** Holds the first transaction open behind its lost connection. */
    static <C, E extends Exception> Commit<C, E> held(CompletableFuture<Transaction<C, E>> held, Commit<C, E> lost) {
        return transaction -> {
            held.complete(transaction);
            lost.on(transaction);
        };
    }

    @Override
    public Transaction<C, E> begin() throws E {
        return new Faulty(real.begin());
    }

    @Override
    public int removeExpired(int most) throws E {
        return real.removeExpired(most);
    }

    @Override
    public Fault fault(E error) {
        return real.fault(error);
    }

    @Override
    public Optional<E> own(Throwable thrown) {
        return real.own(thrown);
    }

    private final class Faulty implements Transaction<C, E> {
        private final Transaction<C, E> transaction;
        private boolean dead;

        Faulty(Transaction<C, E> transaction) {
            this.transaction = transaction;
        }

        @Override
        public boolean claim(Request request, Duration limit, boolean judge) throws E {
            claims.incrementAndGet();
            return transaction.claim(request, limit, judge);
        }

        @Override
        public <X extends Exception> byte[] run(Work<C, E, X> work) throws E, X {
            return transaction.run(work);
        }

        @Override
        public boolean complete(byte[] reply) throws E {
            return transaction.complete(reply);
        }

        @Override
        public void commit() throws E {
            if (left.getAndDecrement() > 0) {
                dead = true;
                commit.on(transaction);
            } else {
                transaction.commit();
            }
        }

        @Override
        public boolean rollback() {
            return !dead && transaction.rollback();
        }

        @Override
        public void abandon() {
            if (!dead) {
                transaction.abandon();
            }
        }

        @Override
        public void end() throws E {
            transaction.end();
        }

        @Override
        public Optional<Completion> read(IdempotencyKey key) throws E {
            return transaction.read(key);
        }

        @Override
        public Optional<OnceException> refusal(Request request) throws E {
            return transaction.refusal(request);
        }

        @Override
        public void close() {
            if (!dead) {
                transaction.close();
            }
        }
    }
}
