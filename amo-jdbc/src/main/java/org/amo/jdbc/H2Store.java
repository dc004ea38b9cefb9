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

/**
 * Records in H2, embedded. Its isolation level must be READ COMMITTED, the default: at others a transaction does not see the cleaner
 * that it waited for.
 */
class H2Store extends OnceStore {
    private static final String UNIQUE_VIOLATION = "23505";

    /** In place of no time. */
    private static final OffsetDateTime EPOCH = Instant.EPOCH.atOffset(ZoneOffset.UTC);

    private static final String INSERT =
            "INSERT INTO amo_once (tenant, idempotency_key, fingerprint, created_at, recorded_at, expires_at)"
                    + " SELECT ?, ?, ?, CAST(? AS TIMESTAMP(3) WITH TIME ZONE), CURRENT_TIMESTAMP,"
                    + " GREATEST(CURRENT_TIMESTAMP, CAST(? AS TIMESTAMP(3) WITH TIME ZONE)) + CAST(? AS BIGINT) * INTERVAL '0.001' SECOND";

    @Override
    String folder() {
        return "h2";
    }

    @Override
    String clock() {
        return "CURRENT_TIMESTAMP";
    }

    @Override
    String milliseconds() {
        return "CAST(? AS BIGINT) * INTERVAL '0.001' SECOND";
    }

    /** H2 commits at each change of the schema, so no lock of the database would last; its makers are in one process. */
    @Override
    void lockSchema(Connection connection) {}

    @Override
    Optional<TransactionId> claim(
            Connection connection,
            IdempotencyKey key,
            byte[] fingerprint,
            OnceOptions options,
            Duration limit,
            boolean judge)
            throws SQLException {
        if (connection.getTransactionIsolation() != Connection.TRANSACTION_READ_COMMITTED) {
            throw new OnceException(
                    OnceException.Reason.NOT_EXECUTED,
                    "amo-jdbc needs the isolation level READ COMMITTED in H2: leave it at its default");
        }
        boolean judged = judge && key.isTimed();
        try (PreparedStatement insert = connection.prepareStatement(INSERT + (judged ? accepted() : ""))) {
            setKey(insert, 1, key);
            insert.setBytes(3, fingerprint);
            Optional<OffsetDateTime> created = key.isTimed() ? Optional.of(created(key)) : Optional.empty();
            insert.setObject(4, created.orElse(null), Types.TIMESTAMP_WITH_TIMEZONE);
            insert.setObject(5, created.orElse(EPOCH), Types.TIMESTAMP_WITH_TIMEZONE);
            insert.setLong(6, options.retention().toMillis());
            if (judged) {
                setAccepted(insert, 7, key, options);
            }
            limit(insert, limit);
            return insert.executeUpdate() == 1 ? Optional.of(TransactionId.LOCAL) : Optional.empty();
        } catch (SQLException e) {
            if (!UNIQUE_VIOLATION.equals(e.getSQLState())) {
                throw e;
            }
            return Optional.empty();
        }
    }

    /** Embedded, a connection is lost with its transaction. */
    @Override
    void terminate(Connection connection, TransactionId lost) {}

    @Override
    String ownRow() {
        return "";
    }

    @Override
    String stillAccepted(TransactionId transaction) {
        return " AND created_at > (SELECT forgotten_to FROM amo_once_state)";
    }

    @Override
    int removeExpired(Connection connection, int most) throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement(
                "SELECT COUNT(*), MAX(created_at) FROM OLD TABLE (DELETE FROM amo_once WHERE " + expired()
                        + " FETCH FIRST ? ROWS ONLY)")) {
            delete.setInt(1, most);
            try (ResultSet row = delete.executeQuery()) {
                row.next();
                int removed = row.getInt(1);
                raise(connection, Optional.ofNullable(row.getObject(2, OffsetDateTime.class)));
                return removed;
            }
        }
    }
}
