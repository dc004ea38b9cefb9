package org.amo.base;

import java.io.IOException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;

/**
 * Makes the threads of amo: daemons, so that none but the end of a process keeps it alive, with names that begin with
 * "amo-". An exception that a task does not catch goes to the handler of the Java runtime, as in any thread. Any thread.
 */
public final class DaemonThreads {
    private static final String PREFIX = "amo-";

    private DaemonThreads() {}

    /** A thread that has not been started. */
    public static Thread unstarted(String name, Runnable task) {
        return unstarted(name, task, 0);
    }

    /** @param stackBytes size of its stack; 0 for the usual one */
    public static Thread unstarted(String name, Runnable task, long stackBytes) {
        if (!name.startsWith(PREFIX)) {
            throw new IllegalArgumentException("a thread's name must begin with " + PREFIX + ": " + name);
        }
        return new Daemon(name, task, stackBytes);
    }

    /** Starts a thread. */
    public static Thread start(String name, Runnable task) {
        Thread thread = unstarted(name, task);
        thread.start();
        return thread;
    }

    /** Starts a thread that is no daemon: the process does not end before it. For ends of processes alone. */
    public static void startKeeping(String name, Runnable task) {
        Thread thread = unstarted(name, task);
        thread.setDaemon(false);
        thread.start();
    }

    /** Waits for the end of a thread, but not longer; an interrupt ends the wait, too. */
    public static void join(Thread thread, long millis) {
        try {
            thread.join(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** For an executor; its threads share the name. */
    public static ThreadFactory factory(String name) {
        return task -> unstarted(name, task);
    }

    /**
     * Starts all core threads of a pool now. A pool starts them at its first tasks otherwise, and a task whose thread the
     * system refuses is lost in the middle of a protocol.
     *
     * @throws IOException in one line, if the system gives no thread; then the pool is shut down
     */
    public static void startAll(ThreadPoolExecutor pool) throws IOException {
        try {
            pool.prestartAllCoreThreads();
        } catch (OutOfMemoryError e) {
            pool.shutdown();
            throw new IOException(
                    "the system gives no thread (" + e.getMessage()
                            + "); raise its limit of threads and processes, or make memory free",
                    e);
        }
    }

    /** A class of its own: JGroups makes a daemon of class Thread a user thread again. */
    private static final class Daemon extends Thread {
        Daemon(String name, Runnable task, long stackBytes) {
            super(null, task, name, stackBytes);
            setDaemon(true);
        }
    }
}
