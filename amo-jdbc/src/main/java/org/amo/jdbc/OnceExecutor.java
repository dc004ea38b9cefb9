package org.amo.jdbc;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.amo.base.Experimental;

/**
 * Runs calls exactly once into the database that a service already has. The record of a call, with its reply, is a row that
 * the database commits together with the call's own statements. A retry under the same key gets the stored reply, from this process or
 * another one, also after a crash of the service, of the caller, or of the database.
 *
 * <p>Promises, while the database keeps the transactions that it has committed:
 *
 * <ul>
 *   <li>The effects of one work stand for a key, and all retries within the retention get its reply. For keys that carry their time
 *       ({@link IdempotencyKey#timed}), a later retry is refused. For others it runs again.
 *   <li>If a connection is lost during the commit, the call finds out on another one whether it ran. It is
 *       {@link OnceException.Reason#UNKNOWN} only if the database does not answer for a deadline.
 *   <li>The same key with another request is refused, and a concurrent duplicate waits for the first one.
 * </ul>
 *
 * <p>The tables come from a migration ({@link OnceSchema}). Expired records go with {@link #clean} or {@link #cleanEvery}. Any
 * thread; a call uses one connection at a time, in the calling thread. All times are those of the database's clock.
 */
@Experimental
public final class OnceExecutor {
    private final DataSource dataSource;
    private final OnceOptions options;
    private final OnceStores stores;

    /**
     * The statements of a call.
     *
     * @param <X> its own exceptions
     */
    @FunctionalInterface
    public interface Work<X extends Exception> {
        /**
         * Reads and writes through the connection, in a transaction that the executor ends. May run several times, if the database rolls it
         * back or loses the connection; so it should have no effects elsewhere. An answer that retries must get, too,
         * such as a refusal by the application, is returned. An exception rolls the transaction back, no record stays, and a
         * retry runs anew.
         *
         * @param connection must not be committed, rolled back as a whole, closed, or kept
         * @return the reply, which retries get
         */
        byte[] run(Connection connection) throws SQLException, X;
    }

    /**
     * The reply to a call.
     *
     * @param body as the work returned it; not copied
     * @param replayed whether an earlier call ran the work
     */
    public record Reply(byte[] body, boolean replayed) {
        /** The body as UTF-8. */
        public String text() {
            return new String(body, StandardCharsets.UTF_8);
        }
    }

    /** A thread that removes expired records. */
    public interface Cleaner extends AutoCloseable {
        /** Ends it after the batch that runs, at most 10 s later. */
        @Override
        void close();
    }

    OnceExecutor(DataSource dataSource, OnceOptions options, OnceStores stores) {
        this.dataSource = dataSource;
        this.options = options;
        this.stores = stores;
    }

    /** Asks the database for nothing yet: the first call finds out its kind, and checks the schema. */
    public static OnceExecutor over(DataSource dataSource, OnceOptions options) {
        return new OnceExecutor(dataSource, options, new OnceStores());
    }

    /**
     * Runs the work, unless a call with the key has run before; then gives its reply. If the connection is given with
     * auto-commit off, it must have no open transaction.
     *
     * @param request the bytes that make retries equal: the same key with others is refused. Only their SHA-256 is stored
     * @throws OnceException if there is no reply; its reason tells whether the call has run
     * @throws SQLException of the work, or of its commit, as the driver threw it; the call did not run
     * @throws X of the work; the call did not run
     */
    public <X extends Exception> Reply execute(IdempotencyKey key, byte[] request, Work<X> work)
            throws SQLException, X {
        return new OnceCall<>(dataSource, stores, new KeyedRequest(key, sha256(request), options), work).run();
    }

    /**
     * Removes expired records, so many in one transaction. Locks no others, and waits for no lock of a record in PostgreSQL.
     *
     * @return how many were removed; fewer than {@code most} if no more have expired
     */
    public int clean(int most) throws SQLException {
        if (most < 1) {
            throw new IllegalArgumentException("a batch has at least one record: " + most);
        }
        try (OnceTransaction transaction = OnceTransaction.begin(dataSource)) {
            try {
                int removed = stores.of(transaction.connection()).removeExpired(transaction.connection(), most);
                transaction.commit();
                return removed;
            } catch (SQLException | RuntimeException e) {
                transaction.rollback();
                throw e;
            }
        }
    }

    /** Cleans in a thread {@code amo-once-cleaner}, until the result is closed. A failure is reported to the log and tried again. */
    public Cleaner cleanEvery(Duration pause) {
        return OnceCleaner.start(this, pause);
    }

    private static byte[] sha256(byte[] request) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(request);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java runtime lacks SHA-256", e);
        }
    }
}
