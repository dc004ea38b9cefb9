package org.amo.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.OffsetDateTime;
import java.util.Optional;
import org.amo.once.OnceException;
import org.amo.once.ResultStore.Fault;

/**
 * Records in H2, embedded. Its isolation level must be READ COMMITTED, the default: at others a transaction does not see the cleaner
 * that it waited for.
 */
class H2Store extends OnceStore {
    private static final String UNIQUE_VIOLATION = "23505";

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

    /** The row is written last: without it, the migration was interrupted. */
    @Override
    boolean hasSchema(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT version FROM amo_once_state")) {
            return row.next();
        } catch (SQLException e) {
            if (SqlFault.of(e) != Fault.UNPREPARED) {
                throw e;
            }
            return false;
        }
    }

    @Override
    String insertion(String condition) {
        return "INSERT INTO amo_once (tenant, idempotency_key, fingerprint, created_at, recorded_at, expires_at)"
                + " SELECT ?, ?, ?, CAST(? AS TIMESTAMP(3) WITH TIME ZONE), CURRENT_TIMESTAMP,"
                + " GREATEST(CURRENT_TIMESTAMP, CAST(? AS TIMESTAMP(3) WITH TIME ZONE)) + " + milliseconds()
                + condition;
    }

    /** A row that another transaction has inserted and not committed makes the insertion wait. */
    @Override
    Optional<TransactionId> insert(PreparedStatement insertion) throws SQLException {
        if (insertion.getConnection().getTransactionIsolation() != Connection.TRANSACTION_READ_COMMITTED) {
            throw new OnceException(
                    OnceException.Reason.NOT_EXECUTED,
                    "amo-jdbc needs the isolation level READ COMMITTED in H2: leave it at its default");
        }
        try {
            return insertion.executeUpdate() == 1 ? Optional.of(TransactionId.LOCAL) : Optional.empty();
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
    String sameTransaction() {
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
