package org.amo.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import javax.sql.DataSource;

/** A transaction of a connection that is given back as it came. One thread owns it. */
final class OnceTransaction implements AutoCloseable {
    private final Connection connection;
    private final boolean autoCommit;
    private final int networkTimeoutMillis;
    private boolean abandoned;

    /** @throws SQLException if there is no connection, or it is broken; then it has been given back */
    static OnceTransaction begin(DataSource dataSource) throws SQLException {
        Connection connection = dataSource.getConnection();
        try {
            return new OnceTransaction(connection);
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    private OnceTransaction(Connection connection) throws SQLException {
        this.connection = connection;
        autoCommit = connection.getAutoCommit();
        networkTimeoutMillis = networkTimeout(connection);
        if (autoCommit) {
            connection.setAutoCommit(false);
        }
    }

    Connection connection() {
        return connection;
    }

    /** From now on the network may take so long to answer; a network that swallows packets would hold the thread for ever. */
    void limitNetwork(Duration limit) throws SQLException {
        setNetworkTimeout((int) Math.min(Integer.MAX_VALUE, Math.max(1, limit.toMillis())));
    }

    /** The work may take as long as its connection allows. */
    void unlimitNetwork() throws SQLException {
        setNetworkTimeout(networkTimeoutMillis);
    }

    private void setNetworkTimeout(int millis) throws SQLException {
        try {
            connection.setNetworkTimeout(Runnable::run, millis);
        } catch (SQLFeatureNotSupportedException e) {
            // Then the driver's own settings hold.
        }
    }

    private static int networkTimeout(Connection connection) throws SQLException {
        try {
            return connection.getNetworkTimeout();
        } catch (SQLFeatureNotSupportedException e) {
            return 0;
        }
    }

    void commit() throws SQLException {
        connection.commit();
    }

    /** @return whether the database has confirmed it; if not, the connection is abandoned */
    boolean rollback() {
        try {
            connection.rollback();
            return true;
        } catch (SQLException e) {
            abandon();
            return false;
        }
    }

    /** Closes the connection to the database, not only to its pool. */
    void abandon() {
        abandoned = true;
        try {
            connection.abort(Runnable::run);
        } catch (SQLException e) {
            // It is broken already, or the driver cannot; the pool looks at it when it comes back.
        }
    }

    /** Never throws: the outcome of the call is decided. */
    @Override
    public void close() {
        try (connection) {
            if (!abandoned) {
                unlimitNetwork();
                if (autoCommit) {
                    connection.setAutoCommit(true);
                }
            }
        } catch (SQLException e) {
            abandon();
        }
    }
}
