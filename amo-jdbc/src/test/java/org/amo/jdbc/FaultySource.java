package org.amo.jdbc;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** Gives connections whose commits do something else, a few times; then the real ones. */
final class FaultySource implements DataSource {
    private final DataSource real;
    private final Commit commit;
    private final AtomicInteger left;

    /** In place of a commit; the executor gets no answer. */
    interface Commit {
        void on(Connection connection) throws SQLException;
    }

    FaultySource(DataSource real, int times, Commit commit) {
        this.real = real;
        this.commit = commit;
        left = new AtomicInteger(times);
    }

    private static SQLException lost() {
        return new SQLException("the connection was lost", "08006");
    }

    /** The database commits, and the answer is lost. */
    static void commitUnheard(Connection connection) throws SQLException {
        connection.commit();
        connection.close();
    }

    /** The database does not hear of the commit. */
    static void cutBefore(Connection connection) throws SQLException {
        connection.rollback();
        connection.close();
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = real.getConnection();
        AtomicBoolean dead = new AtomicBoolean();
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (dead.get()) {
                        // The other end is out of reach.
                        return null;
                    }
                    if (method.getName().equals("commit") && left.getAndDecrement() > 0) {
                        dead.set(true);
                        commit.on(connection);
                        throw lost();
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getTargetException();
                    }
                });
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public PrintWriter getLogWriter() throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public void setLogWriter(PrintWriter out) {}

    @Override
    public void setLoginTimeout(int seconds) {}

    @Override
    public int getLoginTimeout() {
        return 0;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
