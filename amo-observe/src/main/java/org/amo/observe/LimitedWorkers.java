package org.amo.observe;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.amo.base.DaemonThreads;

/**
 * Runs tasks in a few threads, keeps few waiting and refuses the others. A task that takes too long is interrupted, which closes the
 * channel that it reads or writes. Any thread.
 */
final class LimitedWorkers implements Executor, AutoCloseable {
    static final int THREADS = 2;
    static final int MOST_WAITING = 16;

    private final ThreadPoolExecutor workers;
    private final ScheduledThreadPoolExecutor watch;
    private final long limitMillis;

    /** @param limitMillis of one task, from its begin */
    LimitedWorkers(long limitMillis) {
        this.limitMillis = limitMillis;
        workers = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                0,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(MOST_WAITING),
                DaemonThreads.factory("amo-observe"));
        // Without a limit for a task that begins while this is closed: close interrupts it anyway.
        watch = new ScheduledThreadPoolExecutor(
                1, DaemonThreads.factory("amo-observe-watch"), new ThreadPoolExecutor.DiscardPolicy());
        watch.setRemoveOnCancelPolicy(true);
    }

    /** @throws java.util.concurrent.RejectedExecutionException if too many wait, or this is closed */
    @Override
    public void execute(Runnable task) {
        workers.execute(() -> run(task));
    }

    private void run(Runnable task) {
        Turn turn = new Turn(Thread.currentThread());
        ScheduledFuture<?> limit = watch.schedule(turn::interrupt, limitMillis, TimeUnit.MILLISECONDS);
        try {
            task.run();
        } finally {
            limit.cancel(false);
            turn.end();
        }
    }

    /** Interrupts the tasks that run; does not wait for them. */
    @Override
    public void close() {
        workers.shutdownNow();
        watch.shutdownNow();
    }

    /** One task of a worker. */
    private static final class Turn {
        private final Thread worker;
        private boolean ended;

        Turn(Thread worker) {
            this.worker = worker;
        }

        synchronized void interrupt() {
            if (!ended) {
                worker.interrupt();
            }
        }

        /** From now on it is not interrupted; the pool clears an interrupt that came before the next task begins. */
        synchronized void end() {
            ended = true;
        }
    }
}
