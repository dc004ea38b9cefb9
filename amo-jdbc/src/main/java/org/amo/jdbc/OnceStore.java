package org.amo.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Optional;
import org.amo.once.IdempotencyKey;
import org.amo.once.OnceException;
import org.amo.once.ResultStore.Completion;
import org.amo.once.ResultStore.Request;

/**
 * The records in one kind of database: all SQL but that of the schema. Stateless; a method runs in the transaction of its connection.
 * All times are those of the database's clock.
 *
 * <p>Invariant: {@code forgotten_to} is at or above the time of every key that was removed with a time. A key at or below it has a
 * record or is refused.
 */
abstract class OnceStore {
    static final int VERSION = 1;

    /** In place of no time. */
    private static final OffsetDateTime EPOCH = Instant.EPOCH.atOffset(ZoneOffset.UTC);

    /** By the name of the product; a database of another kind has other locks, so none is guessed. */
    static OnceStore of(Connection connection) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName();
        return switch (product) {
            case "PostgreSQL" -> new PostgresStore();
            case "H2" -> new H2Store();
            default ->
                throw new OnceException(
                        OnceException.Reason.SCHEMA,
                        "amo-jdbc knows PostgreSQL and H2, and this database is " + product + ": use one of them");
        };
    }

    /** The folder of the migrations among the resources. */
    abstract String folder();

    /** The database's clock, as it is when the statement runs. */
    abstract String clock();

    /** A number of milliseconds, given as parameter, as an interval. */
    abstract String milliseconds();

    /** Serializes makers of the schema until the end of the transaction. */
    abstract void lockSchema(Connection connection) throws SQLException;

    /** Whether the tables are there, in any version, as statements find them. A transaction goes on if they are not. */
    abstract boolean hasSchema(Connection connection) throws SQLException;

    /**
     * Inserts the row of the key, without a reply. If a transaction that runs holds the row, waits for its end: so the row is taken
     * only if every earlier transaction of the key has failed for good.
     *
     * @param limit of the wait
     * @param judge whether to test the time of the key first, and then not to wait; for a lost commit, the row is the only answer
     * @return empty if there is a record, or the time of the key is refused
     * @throws SQLException of the kind {@link org.amo.once.ResultStore.Fault#BUSY} at the limit
     */
    Optional<TransactionId> claim(Connection connection, Request request, Duration limit, boolean judge)
            throws SQLException {
        IdempotencyKey key = request.key();
        boolean judged = judge && key.isTimed();
        try (PreparedStatement insert = connection.prepareStatement(insertion(judged ? accepted() : ""))) {
            setKey(insert, 1, key);
            insert.setBytes(3, request.fingerprint());
            if (key.isTimed()) {
                setTime(insert, 4, created(key));
            } else {
                insert.setNull(4, Types.TIMESTAMP_WITH_TIMEZONE);
            }
            // The record of a key from ahead lives longer, so that the bound stays behind the accepted times.
            setTime(insert, 5, key.isTimed() ? created(key) : EPOCH);
            insert.setLong(6, request.options().retention().toMillis());
            if (judged) {
                setAccepted(insert, 7, request);
            }
            insert.setQueryTimeout((int) Math.max(1, limit.plusMillis(999).toSeconds()));
            return insert(insert);
        }
    }

    /**
     * The insertion of {@link #claim}: the columns tenant, idempotency_key, fingerprint and created_at, a time, and the retention. The
     * record expires the retention behind the later one of that time and the clock.
     *
     * @param condition of the new row
     */
    abstract String insertion(String condition);

    /** Runs it; empty if it inserted no row. */
    abstract Optional<TransactionId> insert(PreparedStatement insertion) throws SQLException;

    /**
     * Ends a transaction behind a lost connection, if the server still runs it: the server may not notice the loss for hours. Does
     * not wait for the end; {@link #claim} does.
     */
    abstract void terminate(Connection connection, TransactionId lost) throws SQLException;

    /**
     * Writes the reply into the row of the key, at the end of the work. Judges the time of the key once more, since the cleaner may
     * have run between the begin of {@link #claim} and its end.
     *
     * @return whether the row was there, without a reply, claimed by this transaction, and with enough of its retention left
     */
    boolean complete(Connection connection, Request request, byte[] reply, TransactionId transaction)
            throws SQLException {
        IdempotencyKey key = request.key();
        try (PreparedStatement update = connection.prepareStatement(
                "UPDATE amo_once SET reply = ? WHERE tenant = ? AND idempotency_key = ? AND reply IS NULL AND"
                        + " expires_at > "
                        + clock() + " + " + milliseconds() + sameTransaction()
                        + (key.isTimed() ? stillAccepted(transaction) : ""))) {
            update.setBytes(1, reply);
            setKey(update, 2, key);
            update.setLong(4, request.options().deadline().multipliedBy(2).toMillis());
            if (!sameTransaction().isEmpty()) {
                update.setString(5, transaction.id());
            }
            return update.executeUpdate() == 1;
        }
    }

    /** A condition that the transaction of the claim runs still. Parameter: its id. Empty if work that ended it is not found. */
    abstract String sameTransaction();

    /** A condition that no record with the time of the row has been removed, as of now. */
    abstract String stillAccepted(TransactionId transaction);

    Optional<Completion> read(Connection connection, IdempotencyKey key) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(
                "SELECT fingerprint, reply FROM amo_once WHERE tenant = ? AND idempotency_key = ?")) {
            setKey(query, 1, key);
            try (ResultSet row = query.executeQuery()) {
                return row.next()
                        ? Optional.of(new Completion(row.getBytes(1), Optional.ofNullable(row.getBytes(2))))
                        : Optional.empty();
            }
        }
    }

    /** Why the time of a key is refused; empty if it is accepted. */
    Optional<OnceException> refusal(Connection connection, Request request) throws SQLException {
        if (!request.key().isTimed()) {
            return Optional.empty();
        }
        try (PreparedStatement query =
                connection.prepareStatement("SELECT " + clock() + ", forgotten_to FROM amo_once_state")) {
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return OnceException.refusal(request, time(row, 1), time(row, 2));
            }
        }
    }

    /** A condition on the time of a new key. Parameters: the time twice, the retention, the time, how far it may be ahead. */
    private String accepted() {
        return " WHERE ? > (SELECT forgotten_to FROM amo_once_state) AND ? > " + clock() + " - " + milliseconds()
                + " AND ? <= " + clock() + " + " + milliseconds();
    }

    /** @param first parameter of {@link #accepted} */
    private static void setAccepted(PreparedStatement statement, int first, Request request) throws SQLException {
        OffsetDateTime created = created(request.key());
        setTime(statement, first, created);
        setTime(statement, first + 1, created);
        statement.setLong(first + 2, request.options().retention().toMillis());
        setTime(statement, first + 3, created);
        statement.setLong(first + 4, request.options().ahead().toMillis());
    }

    private static Instant time(ResultSet row, int column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }

    private static void setTime(PreparedStatement statement, int index, OffsetDateTime time) throws SQLException {
        statement.setObject(index, time, Types.TIMESTAMP_WITH_TIMEZONE);
    }

    /**
     * Removes up to so many expired records, and raises {@code forgotten_to} to their times, in one transaction that the caller
     * commits. Locks no record that has not expired.
     *
     * @return how many were removed
     */
    abstract int removeExpired(Connection connection, int most) throws SQLException;

    /** The condition of {@link #removeExpired}: these records and no others. At one instant for all rows. */
    String expired() {
        return "expires_at <= CURRENT_TIMESTAMP";
    }

    /** @param removed the highest time of a removed key; empty if none had one */
    void raise(Connection connection, Optional<OffsetDateTime> removed) throws SQLException {
        if (removed.isPresent()) {
            try (PreparedStatement update =
                    connection.prepareStatement("UPDATE amo_once_state SET forgotten_to = ? WHERE forgotten_to < ?")) {
                setTime(update, 1, removed.get());
                setTime(update, 2, removed.get());
                update.executeUpdate();
            }
        }
    }

    byte[] tenantOf(IdempotencyKey key) {
        return key.tenantBytes();
    }

    private void setKey(PreparedStatement statement, int first, IdempotencyKey key) throws SQLException {
        statement.setBytes(first, tenantOf(key));
        statement.setBytes(first + 1, key.textBytes());
    }

    private static OffsetDateTime created(IdempotencyKey key) {
        return key.created().orElseThrow().atOffset(ZoneOffset.UTC);
    }
}
