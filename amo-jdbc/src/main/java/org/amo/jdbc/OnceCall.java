package org.amo.jdbc;

import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.amo.jdbc.OnceException.Reason;
import org.amo.jdbc.OnceExecutor.Reply;
import org.amo.jdbc.OnceExecutor.Work;

/**
 * One call of an executor, with as many attempts as it takes. One thread owns it.
 *
 * <p>An attempt is one transaction: insert the row of the key, run the work, write the reply into the row, commit. The row is the
 * fence: an attempt gets it only if no other transaction of the key has committed, runs, or can commit later, since the database makes
 * the insertion of a key wait for the transaction that has inserted it. So after a commit without an answer the call makes the next
 * attempt, which tells the outcome: either the row is there, with the reply, or the attempt owns the row, and the former one
 * has failed for good.
 */
final class OnceCall<X extends Exception> {
    /** A driver rounds the limit of a statement up to a second, and has the server cancel it. */
    private static final Duration CANCELLATION = Duration.ofSeconds(2);

    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final int MOST_DOUBLINGS = 7;

    private final DataSource dataSource;
    private final OnceStores stores;
    private final KeyedRequest request;
    private final IdempotencyKey key;
    private final OnceOptions options;
    private final Work<X> work;

    private final long begun = System.nanoTime();

    /** Transactions of this call behind lost connections. */
    private final List<TransactionId> lost = new ArrayList<>();

    /** How often the work began. */
    private int runs;

    private int failures;

    /** Whether a commit was sent and its outcome is not known. */
    private boolean inDoubt;

    /** When the commit got lost. */
    private long doubtBegan;

    /** A commit that the database refused for a reason that another attempt does not remove. */
    private Optional<SQLException> refusedCommit = Optional.empty();

    OnceCall(DataSource dataSource, OnceStores stores, KeyedRequest request, Work<X> work) {
        this.dataSource = dataSource;
        this.stores = stores;
        this.request = request;
        key = request.key();
        options = request.options();
        this.work = work;
    }

    Reply run() throws X, SQLException {
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
    private Optional<Reply> attempt() throws X, SQLException {
        Attempt attempt;
        try {
            attempt = new Attempt(OnceTransaction.begin(dataSource));
        } catch (SQLException e) {
            if (!inDoubt && !SqlFault.mayPass(e)) {
                throw new OnceException(Reason.NOT_EXECUTED, "no connection to the database: " + oneLine(e), e);
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
        private final OnceTransaction transaction;
        private final Connection connection;
        private Phase phase = Phase.CLAIM;
        private Optional<TransactionId> claimed = Optional.empty();

        Attempt(OnceTransaction transaction) {
            this.transaction = transaction;
            connection = transaction.connection();
        }

        Optional<Reply> run() throws X, SQLException {
            try {
                OnceStore store = stores.of(connection);
                // The end of the claim's own limit comes first.
                transaction.limitNetwork(options.deadline().plus(CANCELLATION));
                terminateLost(store);
                boolean doubtful = inDoubt;
                claimed = store.claim(connection, request, untilBusy(), !doubtful);
                if (claimed.isEmpty()) {
                    Optional<Reply> answer = answer(store);
                    transaction.rollback();
                    return answer;
                }
                // The row is ours, so no earlier attempt of this call has committed or will.
                inDoubt = false;
                lost.clear();
                if (doubtful) {
                    requireAccepted(store);
                }
                return Optional.of(execute(store));
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

        private Reply execute(OnceStore store) throws X, SQLException {
            if (refusedCommit.isPresent()) {
                throw refusedCommit.get();
            }
            if (runs == options.attempts() || (runs > 0 && isOver(begun))) {
                throw new OnceException(
                        Reason.NOT_EXECUTED,
                        key + " was rolled back in " + runs + " attempts and did not run; retry with the same key");
            }
            runs++;
            transaction.unlimitNetwork();
            phase = Phase.WORK;
            WorkConnection guard = new WorkConnection(connection);
            byte[] reply;
            try {
                reply = work.run(guard.proxy());
            } finally {
                guard.end();
            }
            if (reply.length > options.maxReplyBytes()) {
                throw new IllegalArgumentException("the reply to " + key + " has " + reply.length + " bytes, more than "
                        + options.maxReplyBytes() + ": store it elsewhere and answer with its place");
            }
            phase = Phase.COMPLETE;
            transaction.limitNetwork(options.deadline());
            if (!store.complete(connection, request, reply, claimed.orElseThrow())) {
                throw incomplete(store);
            }
            phase = Phase.COMMIT;
            inDoubt = true;
            transaction.commit();
            inDoubt = false;
            return new Reply(reply, false);
        }

        /** The time of the key was accepted before; it may have become too old until the commit was found to have failed. */
        private void requireAccepted(OnceStore store) throws SQLException {
            Optional<OnceException> refusal = store.refusal(connection, request);
            if (refusal.isPresent()) {
                throw refusal.get();
            }
        }

        /** The answer by the record or by the time of the key; empty if the record went in this moment. */
        private Optional<Reply> answer(OnceStore store) throws SQLException {
            Optional<StoredReply> stored = store.read(connection, key);
            if (stored.isEmpty()) {
                if (!inDoubt) {
                    requireAccepted(store);
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
                                    + " committed by itself and gave no reply: look at its effects, and leave the"
                                    + " commit to the executor"));
            return Optional.of(new Reply(reply, !own));
        }

        /** Why the reply could not be written. */
        private RuntimeException incomplete(OnceStore store) throws SQLException {
            boolean rolledBack = store.read(connection, key).isEmpty();
            transaction.rollback();
            // The row of a transaction that has been rolled back is gone; if it is there, the work has committed it.
            if (rolledBack || store.read(connection, key).isPresent()) {
                return new OnceException(
                        Reason.UNKNOWN,
                        "the work of " + key
                                + " ended the transaction by itself: its effects up to there may stand; leave the"
                                + " end to the executor");
            }
            return store.refusal(connection, request)
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
            SqlFault fault = SqlFault.of(e);
            if (phase == Phase.COMMIT) {
                return mayCommitAgain(e, fault);
            }
            // The work may have lost a connection to something else.
            if ((phase != Phase.WORK && fault == SqlFault.LOST) || !transaction.rollback()) {
                claimed.ifPresent(lost::add);
                transaction.abandon();
                requireTime(e);
                return true;
            }
            if (fault == SqlFault.ROLLED_BACK || (inDoubt && !(e instanceof OnceException))) {
                requireTime(e);
                return true;
            }
            if (phase == Phase.CLAIM && fault == SqlFault.BUSY) {
                if (untilBusy().isZero()) {
                    throw new OnceException(
                            Reason.IN_PROGRESS,
                            "another attempt with " + key + " has run for more than " + options.lockTimeout()
                                    + ": retry later with the same key",
                            e);
                }
                return true;
            }
            if (phase != Phase.WORK && e instanceof SQLException && refusedCommit.isEmpty()) {
                throw ownStatement(e, fault);
            }
            return false;
        }

        private boolean mayCommitAgain(Throwable e, SqlFault fault) {
            if (fault == SqlFault.ROLLED_BACK && transaction.rollback()) {
                inDoubt = false;
            } else {
                doubtBegan = System.nanoTime();
                claimed.ifPresent(lost::add);
                transaction.abandon();
                if (e instanceof Error) {
                    return false;
                }
                if (fault == SqlFault.OTHER && e instanceof SQLException refused) {
                    refusedCommit = Optional.of(refused);
                }
            }
            requireTime(e);
            return true;
        }

        /** In a transaction of its own, since it may be refused; then the server has to notice the loss itself. */
        private void terminateLost(OnceStore store) throws SQLException {
            for (TransactionId each : lost) {
                try {
                    store.terminate(connection, each);
                    connection.commit();
                } catch (SQLException e) {
                    if (SqlFault.of(e) == SqlFault.LOST) {
                        throw e;
                    }
                    connection.rollback();
                }
            }
        }
    }

    /** @throws OnceException if there is no time for another attempt */
    private void requireTime(Throwable e) {
        if (inDoubt) {
            if (isOver(doubtBegan)) {
                throw new OnceException(
                        Reason.UNKNOWN,
                        "the database has not told for " + options.deadline() + " whether " + key
                                + " was committed; a retry with the same key finds out: " + oneLine(e),
                        e);
            }
        } else if (isOver(begun)) {
            throw new OnceException(
                    Reason.NOT_EXECUTED,
                    key + " did not run within " + options.deadline() + "; retry with the same key: " + oneLine(e),
                    e);
        }
    }

    /** An error of a statement of ours, before the commit. */
    private OnceException ownStatement(Throwable e, SqlFault fault) {
        if (fault == SqlFault.NO_TABLE) {
            return new OnceException(
                    Reason.SCHEMA,
                    "the tables of amo-jdbc are missing or older: run the migrations of " + OnceSchema.PLACE
                            + ", or OnceSchema.create: " + oneLine(e),
                    e);
        }
        return new OnceException(
                Reason.NOT_EXECUTED,
                key + " did not run, since the database takes no record; mend it, and retry with the same key: "
                        + oneLine(e),
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

    /** The first line of a message: drivers add details, positions and the statement in others. */
    private static String oneLine(Throwable e) {
        String line = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
        int statement = line.indexOf("; SQL statement:");
        return statement < 0 ? line : line.substring(0, statement);
    }
}
