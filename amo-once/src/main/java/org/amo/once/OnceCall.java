package org.amo.once;

import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.amo.once.OnceException.Reason;
import org.amo.once.OnceExecutor.Reply;
import org.amo.once.OnceExecutor.Work;
import org.amo.once.ResultStore.Completion;
import org.amo.once.ResultStore.Fault;
import org.amo.once.ResultStore.Request;
import org.amo.once.ResultStore.Transaction;

/**
 * One call of an executor, with as many attempts as it takes. One thread owns it.
 *
 * <p>An attempt is one transaction: claim the key, run the work, put the reply into the record, commit. The claim is the
 * fence: an attempt gets it only if no other transaction of the key has committed, runs, or can commit later. So after a commit
 * without an answer the call makes the next attempt, which tells the outcome: either the record is there, with the reply, or
 * the attempt owns the claim, and the former one has failed for good.
 */
final class OnceCall<C, E extends Exception, X extends Exception> {
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final int MOST_DOUBLINGS = 7;
    private static final int MOST_CAUSES = 20;

    private final ResultStore<C, E> store;
    private final Request request;
    private final IdempotencyKey key;
    private final OnceOptions options;
    private final Work<C, E, X> work;

    private final long begun = System.nanoTime();

    /** Transactions of this call behind lost connections. */
    private final List<Transaction<C, E>> lost = new ArrayList<>();

    /** How often the work began. */
    private int runs;

    private int failures;

    /** Whether a commit was sent and its outcome is not known. */
    private boolean inDoubt;

    /** When the commit got lost. */
    private long doubtBegan;

    /** A commit that the database refused for a reason that another attempt does not remove. */
    private Optional<E> refusedCommit = Optional.empty();

    OnceCall(ResultStore<C, E> store, Request request, Work<C, E, X> work) {
        this.store = store;
        this.request = request;
        key = request.key();
        options = request.options();
        this.work = work;
    }

    Reply run() throws X, E {
        while (true) {
            Optional<Reply> reply = attempt();
            if (reply.isPresent()) {
                return reply.get();
            }
            failures++;
            pause();
        }
    }

    /** @return empty if another attempt should be made */
    private Optional<Reply> attempt() throws X, E {
        Attempt attempt;
        try {
            // Before a connection is taken: a pool may have no second one.
            for (Transaction<C, E> each : lost) {
                each.end();
            }
            attempt = new Attempt(store.begin());
        } catch (Exception e) {
            if (store.own(e).isEmpty()) {
                throw e;
            }
            Fault fault = faultOf(e);
            if (!inDoubt && fault != Fault.LOST && fault != Fault.BUSY) {
                throw new OnceException(Reason.NOT_EXECUTED, "no connection to the database: " + store.describe(e), e);
            }
            requireTime(e);
            return Optional.empty();
        }
        try (attempt) {
            return attempt.run();
        }
    }

    /** How far an attempt came. */
    private enum Phase {
        CLAIM,
        WORK,
        COMPLETE,
        COMMIT
    }

    private final class Attempt implements AutoCloseable {
        private final Transaction<C, E> transaction;
        private Phase phase = Phase.CLAIM;

        Attempt(Transaction<C, E> transaction) {
            this.transaction = transaction;
        }

        Optional<Reply> run() throws X, E {
            try {
                boolean doubtful = inDoubt;
                if (!transaction.claim(request, untilBusy(), !doubtful)) {
                    Optional<Reply> answer = answer();
                    transaction.rollback();
                    return answer;
                }
                // The key is ours, so no earlier attempt of this call has committed or will.
                inDoubt = false;
                lost.clear();
                if (doubtful) {
                    requireAccepted();
                }
                return Optional.of(execute());
            } catch (Throwable e) {
                if (mayTryAgain(e)) {
                    return Optional.empty();
                }
                throw e;
            }
        }

        @Override
        public void close() {
            transaction.close();
        }

        private Reply execute() throws X, E {
            if (refusedCommit.isPresent()) {
                throw refusedCommit.get();
            }
            if (runs == options.attempts() || (runs > 0 && isOver(begun))) {
                throw new OnceException(
                        Reason.NOT_EXECUTED,
                        key + " was rolled back in " + runs + " attempts and did not run; retry with the same key");
            }
            runs++;
            phase = Phase.WORK;
            byte[] reply = transaction.run(work);
            if (reply.length > options.maxReplyBytes()) {
                throw new IllegalArgumentException("the reply to " + key + " has " + reply.length + " bytes, more than "
                        + options.maxReplyBytes() + ": store it elsewhere and answer with its place");
            }
            phase = Phase.COMPLETE;
            if (!transaction.complete(reply)) {
                throw incomplete();
            }
            phase = Phase.COMMIT;
            inDoubt = true;
            transaction.commit();
            inDoubt = false;
            return new Reply(reply, false);
        }

        /** The time of the key was accepted before; it may have become too old until the commit was found to have failed. */
        private void requireAccepted() throws E {
            Optional<OnceException> refusal = transaction.refusal(request);
            if (refusal.isPresent()) {
                throw refusal.get();
            }
        }

        /** The answer by the record or by the time of the key; empty if the record went in this moment. */
        private Optional<Reply> answer() throws E {
            Optional<Completion> stored = transaction.read(key);
            if (stored.isEmpty()) {
                if (!inDoubt) {
                    requireAccepted();
                }
                return Optional.empty();
            }
            boolean own = inDoubt;
            inDoubt = false;
            if (!MessageDigest.isEqual(stored.get().fingerprint(), request.fingerprint())) {
                throw new OnceException(
                        Reason.KEY_REUSED,
                        key + " was sent with another request before: send the same request, or take a new key");
            }
            byte[] reply = stored.get()
                    .reply()
                    .orElseThrow(() -> new OnceException(
                            Reason.UNKNOWN,
                            "the work of " + key
                                    + " has effects that stand, and gave no reply: look at them; it committed by itself,"
                                    + " which is the executor's task, or a part of its writes failed"));
            return Optional.of(new Reply(reply, !own));
        }

        /** Why the reply could not be written. */
        private RuntimeException incomplete() throws E {
            boolean rolledBack = transaction.read(key).isEmpty();
            transaction.rollback();
            // The row of a transaction that has been rolled back is gone; if it is there, the work has committed it.
            if (rolledBack || transaction.read(key).isPresent()) {
                return new OnceException(
                        Reason.UNKNOWN,
                        "the work of " + key
                                + " ended the transaction by itself: its effects up to there may stand; leave the"
                                + " end to the executor");
            }
            return transaction
                    .refusal(request)
                    .orElseGet(() -> new OnceException(
                            Reason.NOT_EXECUTED,
                            "the work of " + key + " took nearly as long as the retention of " + options.retention()
                                    + " and was rolled back: choose a longer one"));
        }

        /**
         * Decides on the call after an exception of this attempt, and ends its transaction.
         *
         * @return false if the exception goes to the caller
         * @throws OnceException instead of it
         */
        private boolean mayTryAgain(Throwable e) {
            Fault fault = faultOf(e);
            if (phase == Phase.COMMIT) {
                return mayCommitAgain(e, fault);
            }
            // The work may have lost a connection to something else.
            if ((phase != Phase.WORK && fault == Fault.LOST) || !transaction.rollback()) {
                lost.add(transaction);
                transaction.abandon();
                requireTime(e);
                return true;
            }
            if (fault == Fault.ROLLED_BACK || (inDoubt && !(e instanceof OnceException))) {
                requireTime(e);
                return true;
            }
            if (phase == Phase.CLAIM && fault == Fault.BUSY) {
                if (untilBusy().isZero()) {
                    throw new OnceException(
                            Reason.IN_PROGRESS,
                            "another attempt with " + key + " has run for more than " + options.lockTimeout()
                                    + ": retry later with the same key",
                            e);
                }
                return true;
            }
            if (phase != Phase.WORK && store.own(e).isPresent() && refusedCommit.isEmpty()) {
                throw ownStatement(e, fault);
            }
            return false;
        }

        private boolean mayCommitAgain(Throwable e, Fault fault) {
            if (fault == Fault.ROLLED_BACK && transaction.rollback()) {
                inDoubt = false;
            } else {
                doubtBegan = System.nanoTime();
                lost.add(transaction);
                transaction.abandon();
                if (e instanceof Error) {
                    return false;
                }
                if (fault == Fault.OTHER) {
                    refusedCommit = store.own(e);
                }
            }
            requireTime(e);
            return true;
        }
    }

    /** Libraries wrap the store's exceptions. */
    private Fault faultOf(Throwable thrown) {
        Throwable each = thrown;
        for (int i = 0; each != null && i < MOST_CAUSES; i++) {
            Optional<E> own = store.own(each);
            if (own.isPresent()) {
                return store.fault(own.get());
            }
            each = each.getCause();
        }
        return Fault.OTHER;
    }

    /** @throws OnceException if there is no time for another attempt */
    private void requireTime(Throwable e) {
        if (inDoubt) {
            if (isOver(doubtBegan)) {
                throw new OnceException(
                        Reason.UNKNOWN,
                        "the database has not told for " + options.deadline() + " whether " + key
                                + " was committed; a retry with the same key finds out: " + store.describe(e),
                        e);
            }
        } else if (isOver(begun)) {
            throw new OnceException(
                    Reason.NOT_EXECUTED,
                    key + " did not run within " + options.deadline() + "; retry with the same key: "
                            + store.describe(e),
                    e);
        }
    }

    /** An error of a statement of ours, before the commit. */
    private OnceException ownStatement(Throwable e, Fault fault) {
        if (fault == Fault.UNPREPARED) {
            return new OnceException(Reason.SCHEMA, store.remedy() + ": " + store.describe(e), e);
        }
        return new OnceException(
                Reason.NOT_EXECUTED,
                key + " did not run, since the database takes no record; mend it, and retry with the same key: "
                        + store.describe(e),
                e);
    }

    /** How long this call may still wait for another one. */
    private Duration untilBusy() {
        Duration limit = inDoubt
                ? options.deadline().minusNanos(System.nanoTime() - doubtBegan)
                : options.lockTimeout().minusNanos(System.nanoTime() - begun);
        return limit.isNegative() ? Duration.ZERO : limit;
    }

    private boolean isOver(long since) {
        return System.nanoTime() - since >= options.deadline().toNanos();
    }

    /** Longer after each failure, and of random length, so that calls that disturbed each other do not meet again. */
    private void pause() {
        long most = FIRST_PAUSE_NANOS << Math.min(failures, MOST_DOUBLINGS);
        try {
            TimeUnit.NANOSECONDS.sleep(ThreadLocalRandom.current().nextLong(most / 2, most));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OnceException(
                    inDoubt ? Reason.UNKNOWN : Reason.NOT_EXECUTED,
                    "interrupted before " + key + " had its reply; retry with the same key",
                    e);
        }
    }
}
