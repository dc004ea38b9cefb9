package org.amo.determinism.runtime;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A task that an operation has started. It runs once, in the thread of the operations. Once it has ended it holds nothing: what
 * it held may be the key under which it is kept.
 */
final class OrderedTask {
    private final CountDownLatch ended = new CountDownLatch(1);
    private @Nullable Object source;
    private @Nullable Consumer<Throwable> uncaught;
    private @Nullable Runnable body;
    private boolean running;

    /**
     * @param source the thread or executor that would run it elsewhere
     * @param uncaught told of an exception that the body leaves uncaught
     */
    OrderedTask(Object source, Runnable body, Consumer<Throwable> uncaught) {
        this.source = source;
        this.body = body;
        this.uncaught = uncaught;
    }

    boolean isOf(Object executor) {
        return source == executor;
    }

    boolean has(Object other) {
        return body == other;
    }

    /** Whether it runs now, further down the stack. */
    boolean isRunning() {
        return running;
    }

    boolean isEnded() {
        return ended.getCount() == 0;
    }

    /** For threads outside of operations. */
    boolean awaitEnd(long millis) throws InterruptedException {
        if (millis == 0) {
            ended.await();
            return true;
        }
        return ended.await(millis, TimeUnit.MILLISECONDS);
    }

    /** Without a run. @return the body, if it has not begun */
    @Nullable
    Runnable drop() {
        Runnable left = running ? null : body;
        end();
        return left;
    }

    private void end() {
        body = null;
        source = null;
        uncaught = null;
        ended.countDown();
    }

    /** @throws VirtualMachineError of the body; any other exception is the task's end, as in a thread */
    void run() {
        Runnable begun = body;
        Consumer<Throwable> told = uncaught;
        if (begun == null || told == null || running) {
            return;
        }
        running = true;
        try {
            begun.run();
        } catch (VirtualMachineError e) {
            throw e;
        } catch (Throwable e) {
            told.accept(e);
        } finally {
            running = false;
            end();
        }
    }
}
