package org.amo.determinism.runtime;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;

/**
 * Told before the application starts a thread, or gives a task to one. Inside an operation that is a fault: each member runs
 * the task at a moment of its own. Any thread.
 */
public final class ThreadStarts {
    /** The treatment by which tasks run in the thread of the operations. */
    public static final String ORDERED = "ordered";

    private static final int MOST_REPORTED = 100;

    private static final Set<String> REPORTED = ConcurrentHashMap.newKeySet();
    private static volatile boolean refused;
    private static volatile boolean ordered;
    private static volatile BiConsumer<String, Throwable> report = (line, where) -> {};

    private ThreadStarts() {}

    /**
     * @param treatment {@code refuse}: such a start fails; {@code ordered}: the task goes to {@link OperationTasks}, and fails if it
     *     cannot. A start that fails is reported, and so is each one with another treatment, once for each place
     * @param to gets the line and the place
     */
    public static void configure(String treatment, BiConsumer<String, Throwable> to) {
        ordered = treatment.equals(ORDERED);
        refused = treatment.equals("refuse");
        report = to;
    }

    /** Whether tasks run in the thread of the operations. */
    public static boolean areOrdered() {
        return ordered;
    }

    /** Timers that operations have scheduled and that have not fired. */
    public static long pendingTimers() {
        return OperationTasks.pendingTimers();
    }

    static void report(String line, Throwable thrown) {
        report.accept(line, thrown);
    }

    /** The class and the method in front of which the call stands. */
    public static void starts(String method) {
        if (!MemberOperations.isRunning()) {
            return;
        }
        String line = line(method);
        Throwable where = new Throwable("started here");
        if (REPORTED.size() < MOST_REPORTED && REPORTED.add(method + " " + place(where))) {
            report.accept(line, where);
        }
        if (ordered || refused) {
            // The servant may swallow it, and a CORBA client sees no message: so the log has it, too.
            throw new IllegalStateException(line);
        }
    }

    /** The line of the application: the latest call that is not one of this class. */
    private static String place(Throwable where) {
        for (StackTraceElement frame : where.getStackTrace()) {
            if (!frame.getClassName().equals(ThreadStarts.class.getName())) {
                return frame.toString();
            }
        }
        return "";
    }

    private static String line(String method) {
        if (ordered) {
            return "an operation calls " + method + ", which --threads ordered does not order; do the work in the"
                    + " operation, or start a Thread or a task of an executor";
        }
        return "an operation calls " + method + (refused ? ", which --threads refuse lets fail" : "")
                + ": each member runs the task at a moment of its own, so their states can differ; do the work in the"
                + " operation" + (refused ? ", or start every member with --threads warn" : "");
    }

    /** The same before a method {@code start} of a class of the application, which may be a thread. */
    public static void startsIfThread(Object started) {
        if (started instanceof Thread) {
            starts("java.lang.Thread.start");
        }
    }
}
