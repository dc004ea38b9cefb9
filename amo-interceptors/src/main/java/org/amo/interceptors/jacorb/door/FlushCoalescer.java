package org.amo.interceptors.jacorb.door;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Passes on the items that any thread adds, in batches: all waiting items form one batch, while the next one fills. One
 * task of the executor runs at a time, and none while no item waits. Adding does not wait.
 */
final class FlushCoalescer<T> {
    private final Executor executor;
    private final Consumer<List<T>> sink;

    // Guarded by this.
    private List<T> waiting = new ArrayList<>();
    // Invariant: true while a task that will look at waiting again is queued or runs; at most one is.
    private boolean draining;

    /** @param sink gets each batch in the executor, in the order in which it was added; must not throw */
    FlushCoalescer(Executor executor, Consumer<List<T>> sink) {
        this.executor = executor;
        this.sink = sink;
    }

    void add(T item) {
        synchronized (this) {
            waiting.add(item);
            if (draining) {
                return;
            }
            draining = true;
        }
        executor.execute(this::drain);
    }

    private void drain() {
        for (List<T> batch = next(); !batch.isEmpty(); batch = next()) {
            sink.accept(batch);
        }
    }

    private synchronized List<T> next() {
        List<T> batch = waiting;
        waiting = new ArrayList<>();
        draining = !batch.isEmpty();
        return batch;
    }
}
