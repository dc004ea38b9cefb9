package org.amo.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.OffsetDateTime;
import java.util.Optional;

/** Records in PostgreSQL, 13 or later. */
class PostgresStore extends OnceStore {
    /** Of the advisory lock of {@link #lockSchema}: "amo once" in ASCII. */
    private static final long SCHEMA_LOCK = 0x616d6f206f6e6365L;

    @Override
    String folder() {
        return "postgresql";
    }

    @Override
    String clock() {
        return "clock_timestamp()";
    }

    @Override
    String milliseconds() {
        return "? * interval '1 millisecond'";
    }

    @Override
    void lockSchema(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_advisory_xact_lock(" + SCHEMA_LOCK + ")");
        }
    }

    @Override
    boolean hasSchema(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT to_regclass('amo_once_state') IS NOT NULL")) {
            return row.next() && row.getBoolean(1);
        }
    }

    /** A row that another transaction has inserted and not committed makes the insertion wait, at each isolation level. */
    @Override
    String insertion(String condition) {
        return "INSERT INTO amo_once (tenant, idempotency_key, fingerprint, created_at, recorded_at, expires_at)"
                + " SELECT ?, ?, ?, ?, clock_timestamp(), greatest(clock_timestamp(), ?) + " + milliseconds()
                + condition
                + " ON CONFLICT (tenant, idempotency_key) DO NOTHING"
                + " RETURNING pg_backend_pid(), pg_current_xact_id()::text, current_setting('transaction_isolation')";
    }

    @Override
    Optional<TransactionId> insert(PreparedStatement insertion) throws SQLException {
        try (ResultSet row = insertion.executeQuery()) {
            return row.next()
                    ? Optional.of(new TransactionId(
                            row.getInt(1), row.getString(2), row.getString(3).equals("read committed")))
                    : Optional.empty();
        }
    }

    /** By the transaction's id, too: the process may have another client by now. */
    @Override
    void terminate(Connection connection, TransactionId lost) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = ? AND backend_xid::text = ?")) {
            query.setInt(1, lost.process());
            // backend_xid lacks the epoch, the upper half of the id.
            query.setString(2, Long.toString(Long.parseUnsignedLong(lost.id()) & 0xffff_ffffL));
            query.executeQuery().close();
        }
    }

    /** Finds work that has committed by itself. Savepoints, as of a driver that sets one before each statement, keep this id. */
    @Override
    String sameTransaction() {
        return " AND pg_current_xact_id()::text = ?";
    }

    /**
     * At READ COMMITTED this statement sees every cleaner that {@link #claim} may have waited for. At the other levels it sees the
     * database as it was before; there the lock fails with 40001 if the row has changed since.
     */
    @Override
    String stillAccepted(TransactionId transaction) {
        return " AND created_at > (SELECT forgotten_to FROM amo_once_state"
                + (transaction.readsCommitted() ? "" : " FOR SHARE") + ")";
    }

    /** Statement time, unlike the clock, lets the index be used. */
    @Override
    String expired() {
        return "expires_at <= statement_timestamp()";
    }

    @Override
    int removeExpired(Connection connection, int most) throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement("WITH removed AS ("
                + "DELETE FROM amo_once WHERE ctid = ANY (ARRAY(SELECT ctid FROM amo_once WHERE " + expired()
                + " ORDER BY expires_at LIMIT ? FOR UPDATE SKIP LOCKED)) RETURNING created_at)"
                + " SELECT count(*), max(created_at) FROM removed")) {
            delete.setInt(1, most);
            try (ResultSet row = delete.executeQuery()) {
                row.next();
                raise(connection, Optional.ofNullable(row.getObject(2, OffsetDateTime.class)));
                return row.getInt(1);
            }
        }
    }
}
