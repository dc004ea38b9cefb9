package org.amo.replication;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Lets one thread at a time own a core that has no thread of its own. A thread that hands in a task while no task runs,
 * runs it, and every task that other threads hand in meanwhile. Each task sees the effects of the earlier ones. This saves
 * the wake-up that a hand-over to an owner thread would cost per entry.
 */
final class SerialExecutor {
    private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final Consumer<Throwable> onFailure;

    /** Written by the thread that runs the tasks. */
    private volatile long turns;

    /** @param onFailure receives the exception or error of a failed task; the tasks after it still run */
    SerialExecutor(Consumer<Throwable> onFailure) {
        this.onFailure = onFailure;
    }

    /** Whether a task runs or waits. */
    boolean isBusy() {
        return waiting.get() > 0;
    }

    /** How many tasks have ended. */
    long turns() {
        return turns;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread at a time runs tasks
    private void turned() {
        turns++;
    }

    void run(Runnable task) {
        tasks.add(task);
        if (waiting.getAndIncrement() > 0) {
            return;
        }
        // The thread may be a program's own. A task that reads or writes a file would close it if the thread is
        // interrupted.
        boolean interrupted = Thread.interrupted();
        try {
            runAll();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void runAll() {
        do {
            // One task was added before each increment, so there is one for each step down.
            Runnable next = tasks.poll();
            if (next == null) {
                throw new IllegalStateException("a task is missing");
            }
            try {
                next.run();
            } catch (RuntimeException | Error e) {
                onFailure.accept(e);
            }
            turned();
        } while (waiting.decrementAndGet() > 0);
    }
}
