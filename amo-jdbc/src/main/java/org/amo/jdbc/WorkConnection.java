package org.amo.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.Set;

/**
 * The connection that work gets: it cannot end the transaction, and it serves until the work ends. A thread that keeps it longer
 * would write into the transaction of another call.
 */
final class WorkConnection implements InvocationHandler {
    private static final Set<String> ENDS =
            Set.of("commit", "rollback", "setAutoCommit", "close", "abort", "setTransactionIsolation");

    private final Connection connection;
    private volatile boolean ended;

    WorkConnection(Connection connection) {
        this.connection = connection;
    }

    Connection proxy() {
        return (Connection)
                Proxy.newProxyInstance(Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, this);
    }

    void end() {
        ended = true;
    }

    @Override
    @SuppressWarnings("NullAway") // An invocation without arguments has none.
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        String name = method.getName();
        if (ended) {
            throw new IllegalStateException("the work has ended, and its connection with it: " + name);
        }
        // rollback to a savepoint is the work's own.
        if (ENDS.contains(name) && !(name.equals("rollback") && method.getParameterCount() == 1)) {
            throw new IllegalStateException(
                    "the executor ends the transaction, not the work: leave out " + name + "(); throw to roll back");
        }
        try {
            return method.invoke(connection, arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }
}
