package org.amo.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import org.jspecify.annotations.Nullable;

/**
 * A connection as a framework takes it, within the connection of a call: its transactions are savepoints. One thread owns it.
 *
 * <p>Invariant: {@code begin} stands behind all that this connection has committed, and before all that it has not.
 */
final class JoinedConnection implements InvocationHandler {
    private final Connection call;
    private Savepoint begin;
    private boolean autoCommit = true;
    private boolean closed;

    private JoinedConnection(Connection call) throws SQLException {
        this.call = call;
        begin = call.setSavepoint();
    }

    static Connection of(Connection call) throws SQLException {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, new JoinedConnection(call));
    }

    @Override
    @SuppressWarnings("NullAway") // An invocation without arguments has none, and a method without a result gives none.
    public @Nullable Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        return switch (method.getName()) {
            case "isClosed" -> closed;
            case "close" -> {
                close();
                yield null;
            }
            case "equals" -> proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            case "toString" -> "joined to " + call;
            default -> {
                if (closed) {
                    throw new SQLException("the connection is closed: " + method.getName());
                }
                yield open(method, arguments);
            }
        };
    }

    @SuppressWarnings("NullAway") // As above.
    private @Nullable Object open(Method method, Object[] arguments) throws Throwable {
        switch (method.getName()) {
            case "getAutoCommit" -> {
                return autoCommit;
            }
            case "setAutoCommit" -> setAutoCommit((boolean) arguments[0]);
            case "commit" -> commit();
            case "rollback" -> {
                if (method.getParameterCount() > 0) {
                    return onCall(method, arguments);
                }
                call.rollback(begin);
            }
            case "setReadOnly" -> {
                // It would be that of the whole call.
            }
            case "setTransactionIsolation" -> requireLevel((int) arguments[0]);
            default -> {
                return onCall(method, arguments);
            }
        }
        return null;
    }

    private @Nullable Object onCall(Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(call, arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }

    private void requireLevel(int level) throws SQLException {
        if (level != call.getTransactionIsolation()) {
            throw new SQLException("a call has the isolation level of its connection, " + call.getTransactionIsolation()
                    + ": leave it, or set it for the whole DataSource");
        }
    }

    /** Statements in the mode before are committed: each by itself, or all by the change. The same mode again changes nothing. */
    private void setAutoCommit(boolean mode) throws SQLException {
        if (autoCommit != mode) {
            commit();
            autoCommit = mode;
        }
    }

    /** The executor commits. */
    private void commit() throws SQLException {
        call.releaseSavepoint(begin);
        begin = call.setSavepoint();
    }

    /** As pools do: what was not committed is undone. */
    private void close() throws SQLException {
        if (!closed) {
            closed = true;
            if (!autoCommit) {
                call.rollback(begin);
            }
        }
    }
}
