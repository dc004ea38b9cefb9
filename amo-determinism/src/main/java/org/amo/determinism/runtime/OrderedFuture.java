package org.amo.determinism.runtime;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The result of a task that an operation has started. An operation that waits for it runs it. */
class OrderedFuture<V extends @Nullable Object> extends FutureTask<V> {
    private final OperationTasks tasks;
    private @Nullable VirtualMachineError fatal;

    OrderedFuture(OperationTasks tasks, Callable<V> body) {
        super(body);
        this.tasks = tasks;
    }

    OperationTasks tasks() {
        return tasks;
    }

    @Override
    public void run() {
        super.run();
        throwFatal();
    }

    /** Not a result: it differs from member to member. */
    final void throwFatal() {
        if (fatal != null) {
            throw fatal;
        }
    }

    @Override
    protected void setException(Throwable thrown) {
        if (thrown instanceof VirtualMachineError error) {
            fatal = error;
        }
        super.setException(thrown);
    }

    @Override
    public V get() throws InterruptedException, ExecutionException {
        runIfInside();
        return super.get();
    }

    @Override
    public V get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        runIfInside();
        return super.get(timeout, unit);
    }

    private void runIfInside() {
        if (!isDone() && OperationTasks.current() == tasks) {
            runNow();
        }
    }

    /** By the thread of the operations, which waits for it. */
    void runNow() {
        tasks.runFor(this, this::isDone, "a Future");
    }
}
