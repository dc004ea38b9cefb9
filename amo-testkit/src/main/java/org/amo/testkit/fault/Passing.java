package org.amo.testkit.fault;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/**
 * Wraps a port. A dynamic proxy and no class that implements the port, because methods added to the port later must
 * pass through it as well: a method with a default would otherwise end here unnoticed.
 */
final class Passing {
    private Passing() {}

    /** A call that passes. */
    interface Passage {
        /** Lets it through; with other arguments than it came with, if wished. */
        Object go(Object... arguments);
    }

    /** Decides about each call. */
    interface Gate {
        Object pass(String method, Object[] arguments, Passage passage);
    }

    private static final Object[] NONE = {};

    static <T> T before(Class<T> port, T target, Gate gate) {
        return port.cast(Proxy.newProxyInstance(
                port.getClassLoader(),
                new Class<?>[] {port},
                (proxy, method, arguments) -> gate.pass(
                        method.getName(), arguments == null ? NONE : arguments, all -> invoke(method, target, all))));
    }

    private static Object invoke(Method method, Object target, Object[] arguments) {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException unchecked) {
                throw unchecked;
            }
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw new IllegalStateException(method + " threw what it does not declare", e.getCause());
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(method + " cannot be called", e);
        }
    }
}
