package org.amo.determinism.runtime;

import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/** An executor; inside an operation its tasks are the operation's. Any thread. */
final class OrderedExecutor implements Executor {
    private final Executor source;
    private final Executor elsewhere;
    private final long delayNanos;

    OrderedExecutor(Executor source) {
        this(source, source, 0);
    }

    /** @param elsewhere the executor outside of operations, which delays its tasks by itself */
    OrderedExecutor(Executor source, Executor elsewhere, long delayNanos) {
        this.source = source;
        this.elsewhere = elsewhere;
        this.delayNanos = delayNanos;
    }

    @Override
    public void execute(Runnable task) {
        OperationTasks tasks = OperationTasks.current();
        if (tasks == null) {
            elsewhere.execute(task);
        } else if (delayNanos > 0) {
            OrderedTimer<?> unused = tasks.schedule(source, Executors.callable(task), delayNanos, 0);
        } else {
            TaskSubstitutes.executorExecute(source, task);
        }
    }
}
