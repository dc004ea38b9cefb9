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
        String name = method.getName();
        switch (name) {
            case "isClosed":
                return closed;
            case "close":
                close();
                return null;
            case "equals":
                return proxy == arguments[0];
            case "hashCode":
                return System.identityHashCode(proxy);
            case "toString":
                return "joined to " + call;
            default:
                break;
        }
        if (closed) {
            throw new SQLException("the connection is closed: " + name);
        }
        switch (name) {
            case "getAutoCommit":
                return autoCommit;
            case "setAutoCommit":
                if (!autoCommit) {
                    commit();
                }
                autoCommit = (boolean) arguments[0];
                return null;
            case "commit":
                commit();
                return null;
            case "rollback":
                if (method.getParameterCount() == 0) {
                    call.rollback(begin);
                    return null;
                }
                break;
            case "setReadOnly":
                return null;
            case "setTransactionIsolation":
                if (!arguments[0].equals(call.getTransactionIsolation())) {
                    throw new SQLException("a call has the isolation level of its connection, "
                            + call.getTransactionIsolation() + ": leave it, or set it for the whole DataSource");
                }
                return null;
            default:
                break;
        }
        try {
            return method.invoke(call, arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
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
