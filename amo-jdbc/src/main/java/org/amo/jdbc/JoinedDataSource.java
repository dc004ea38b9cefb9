package org.amo.jdbc;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.amo.base.Experimental;

/**
 * A view of a DataSource for code that takes its connections itself, such as a framework with transactions by annotation. While a call of
 * an executor runs in a thread ({@link #within}), each connection taken there is the call's: a commit is left to the executor, and a
 * rollback undoes the statements since the connection was taken, or since its last commit. So all transactions of the call and
 * its completion record are one. In other threads, and outside of calls, connections are the real ones.
 *
 * <p>A transaction that is to be independent of the one around it joins the call, too. The isolation level is that of the call's
 * connection, and marks as read-only are ignored. Any thread.
 */
@Experimental
public final class JoinedDataSource implements DataSource {
    private final DataSource real;
    private final ThreadLocal<Optional<Connection>> current = ThreadLocal.withInitial(Optional::empty);

    private JoinedDataSource(DataSource real) {
        this.real = real;
    }

    public static JoinedDataSource over(DataSource real) {
        return new JoinedDataSource(real);
    }

    /**
     * Runs a part of the work of a call, whose connections in this thread are the given one.
     *
     * @param connection of the call, as its work got it
     */
    public <T> T within(Connection connection, Callable<T> work) throws Exception {
        Optional<Connection> before = current.get();
        current.set(Optional.of(connection));
        try {
            return work.call();
        } finally {
            if (before.isPresent()) {
                current.set(before);
            } else {
                current.remove();
            }
        }
    }

    @Override
    public Connection getConnection() throws SQLException {
        Optional<Connection> call = current.get();
        return call.isPresent() ? JoinedConnection.of(call.get()) : real.getConnection();
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        if (current.get().isPresent()) {
            throw new SQLException("a call runs, and its connection has a user already: take it without one");
        }
        return real.getConnection(user, password);
    }

    @Override
    public PrintWriter getLogWriter() throws SQLException {
        return real.getLogWriter();
    }

    @Override
    public void setLogWriter(PrintWriter out) throws SQLException {
        real.setLogWriter(out);
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        real.setLoginTimeout(seconds);
    }

    @Override
    public int getLoginTimeout() throws SQLException {
        return real.getLoginTimeout();
    }

    @Override
    public Logger getParentLogger() {
        return Logger.getLogger("org.amo.jdbc");
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return type.isInstance(real) ? type.cast(real) : real.unwrap(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return type.isInstance(real) || real.isWrapperFor(type);
    }
}
