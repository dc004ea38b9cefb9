package org.amo.replication;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Lets one thread at a time own a core without a thread of its own: whoever hands in a task while nobody runs
 * one runs it, and all that others hand in meanwhile. Each task sees what the ones before it did. It saves the
 * wake-up that a hand-over to an owner thread would cost per entry.
 */
final class SerialOwner {
    private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final Consumer<Throwable> onFailure;

    /** Written by whoever runs the tasks. */
    private volatile long turns;

    /** @param onFailure hears what a task threw; the tasks after it still run */
    SerialOwner(Consumer<Throwable> onFailure) {
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
