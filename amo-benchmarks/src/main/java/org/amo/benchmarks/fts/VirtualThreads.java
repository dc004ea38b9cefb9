package org.amo.benchmarks.fts;

import java.lang.reflect.Method;
import java.util.Optional;

/** Starts virtual threads on a Java runtime that has them: 21 and later. */
final class VirtualThreads {
    private static final Optional<Method> START = find();

    private VirtualThreads() {}

    static boolean exist() {
        return START.isPresent();
    }

    static void start(Runnable task) {
        try {
            START.orElseThrow().invoke(null, task);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("no virtual thread was started", e);
        }
    }

    private static Optional<Method> find() {
        if (Runtime.version().feature() < 21) {
            return Optional.empty();
        }
        try {
            return Optional.of(Thread.class.getMethod("startVirtualThread", Runnable.class));
        } catch (NoSuchMethodException e) {
            return Optional.empty();
        }
    }
}
