package org.amo.determinism.runtime;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;

/**
 * Told before the application starts a thread, or gives a task to one. Inside an operation that is a fault: each member runs
 * the task at a moment of its own. Any thread.
 */
public final class ThreadStarts {
    private static final int MOST_REPORTED = 100;

    private static final Set<String> REPORTED = ConcurrentHashMap.newKeySet();
    private static volatile boolean refused;
    private static volatile BiConsumer<String, Throwable> report = (line, where) -> {};

    private ThreadStarts() {}

    /**
     * @param refuse whether such a start fails; else it is reported, once for each place
     * @param to gets the line and the place
     */
    public static void configure(boolean refuse, BiConsumer<String, Throwable> to) {
        refused = refuse;
        report = to;
    }

    /** The class and the method in front of which the call stands. */
    public static void starts(String method) {
        if (!MemberOperations.isRunning()) {
            return;
        }
        String line =
                "an operation calls " + method + ": each member runs the task at a moment of its own, so their states"
                        + " can differ; do the work in the operation";
        if (refused) {
            throw new IllegalStateException(line + ", or start every member with --threads warn");
        }
        Throwable where = new Throwable("started here");
        StackTraceElement[] stack = where.getStackTrace();
        String place = method + (stack.length > 1 ? stack[1] : "");
        if (REPORTED.size() < MOST_REPORTED && REPORTED.add(place)) {
            report.accept(line, where);
        }
    }

    /** The same before a method {@code start} of a class of the application, which may be a thread. */
    public static void startsIfThread(Object started) {
        if (started instanceof Thread) {
            starts("java.lang.Thread.start");
        }
    }
}
