package org.amo.benchmarks.rpclog;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.UUID;
import org.amo.once.IdempotencyKey;
import org.amo.once.OnceExecutor;

/** The two kinds of write of one client of a database: the difference between them, and nothing else. */
final class DatabaseWrites {
    private static final byte[] RESULT = new byte[StoreClient.RESULT_BYTES];

    private final BenchDatabase.Client client;
    private final OnceExecutor<Connection, SQLException> executor;

    DatabaseWrites(BenchDatabase.Client client) {
        this.client = client;
        executor = client.executor();
    }

    /** A transaction without a completion record. */
    void regular(int key, byte[] value) throws IOException {
        try (Connection connection = client.connection()) {
            connection.setAutoCommit(false);
            byte[] unused = write(connection, key, value);
            connection.commit();
        } catch (SQLException e) {
            throw new IOException("a regular write failed: " + e.getMessage(), e);
        }
    }

    /** The same under a key. */
    void once(int key, byte[] value) throws IOException {
        IdempotencyKey call = IdempotencyKey.of("calls", UUID.randomUUID().toString());
        try {
            if (executor.execute(call, value, connection -> write(connection, key, value))
                    .replayed()) {
                throw new IOException("a new key had a reply: " + call);
            }
        } catch (SQLException e) {
            throw new IOException("a write under a key failed: " + e.getMessage(), e);
        }
    }

    private static byte[] write(Connection connection, int key, byte[] value) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("UPDATE object SET value = ? WHERE id = ?")) {
            update.setBytes(1, value);
            update.setInt(2, key);
            if (update.executeUpdate() != 1) {
                throw new SQLException("there is no object " + key);
            }
        }
        return RESULT;
    }
}
