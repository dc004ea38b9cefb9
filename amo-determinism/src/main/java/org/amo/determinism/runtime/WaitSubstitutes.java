package org.amo.determinism.runtime;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionService;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Stand for the methods of the JDK that wait for another thread; outside an operation each is the JDK's. Inside, the tasks that the
 * operation has started run while it waits, so that it cannot wait for a task that waits for its end. Named like {@link TaskSubstitutes}.
 */
@SuppressWarnings({"WaitNotInLoop", "ThreadPriorityCheck"}) // Just these are replaced; the loop is the caller's.
public final class WaitSubstitutes {
    /** An operation that waits longer for something that none of its tasks brings fails. */
    static final long MOST_SECONDS = 10;

    private WaitSubstitutes() {}

    /** What an operation waits for will not come. */
    static IllegalStateException never(String what) {
        return new IllegalStateException("an operation waits for " + what
                + ", and no task that it started brings that; end the wait in a task that runs to its end, or do the work"
                + " in the operation");
    }

    // ---- threads ----

    public static void threadJoin(Thread thread) throws InterruptedException {
        threadJoin(thread, 0);
    }

    public static void threadJoin(Thread thread, long millis) throws InterruptedException {
        OrderedTask task = TaskSubstitutes.task(thread);
        OperationTasks tasks = OperationTasks.current();
        if (task == null) {
            thread.join(millis);
        } else if (tasks != null) {
            tasks.run(task);
        } else {
            task.awaitEnd(millis);
        }
    }

    public static void threadJoin(Thread thread, long millis, int nanos) throws InterruptedException {
        threadJoin(thread, nanos > 0 && millis < Long.MAX_VALUE ? millis + 1 : millis);
    }

    /** The method is in Java 19 and later. */
    public static boolean threadJoin(Thread thread, Duration duration) throws InterruptedException {
        if (thread.getState() == Thread.State.NEW && TaskSubstitutes.task(thread) == null) {
            throw new IllegalThreadStateException("the thread " + thread.getName() + " was not started");
        }
        // 0 would mean for ever.
        threadJoin(thread, Math.max(1, TimeUnit.MILLISECONDS.convert(duration)));
        return !threadIsAlive(thread);
    }

    public static boolean threadIsAlive(Thread thread) {
        OrderedTask task = TaskSubstitutes.task(thread);
        return task == null ? thread.isAlive() : !hasEnded(task);
    }

    public static Thread.State threadGetState(Thread thread) {
        OrderedTask task = TaskSubstitutes.task(thread);
        if (task == null) {
            return thread.getState();
        }
        return hasEnded(task) ? Thread.State.TERMINATED : Thread.State.RUNNABLE;
    }

    private static boolean hasEnded(OrderedTask task) {
        return task.isEnded() || (runsIfAskedAgain(task) && task.isEnded());
    }

    public static void threadYield() {
        runAll();
        Thread.yield();
    }

    public static void threadOnSpinWait() {
        runAll();
        Thread.onSpinWait();
    }

    /** A loop that waits for a task must let it run. */
    static void runAll() {
        OperationTasks tasks = OperationTasks.current();
        if (tasks != null) {
            tasks.runAll();
        }
    }

    // ---- results ----

    public static <T extends @Nullable Object> T futureGet(Future<T> future)
            throws InterruptedException, ExecutionException {
        runFor(future);
        return future.get();
    }

    public static <T extends @Nullable Object> T futureGet(Future<T> future, long timeout, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        OperationTasks tasks = OperationTasks.current();
        if (tasks != null && !(future instanceof OrderedTimer)) {
            runFirst(tasks, future);
        }
        return future.get(timeout, unit);
    }

    public static boolean futureIsDone(Future<?> future) {
        return future.isDone() || (runsIfAskedAgain(future) && future.isDone());
    }

    /** Whether a task of the operation has run, since it asks in a loop whether something has ended. */
    private static boolean runsIfAskedAgain(Object asked) {
        OperationTasks tasks = OperationTasks.current();
        return tasks != null && tasks.runIfAskedAgain(asked);
    }

    public static <T extends @Nullable Object> T completableFutureJoin(CompletableFuture<T> future) {
        runFor(future);
        return future.join();
    }

    public static <T extends @Nullable Object> T forkJoinTaskJoin(ForkJoinTask<T> task) {
        runFor(task);
        return task.join();
    }

    public static <T extends @Nullable Object> Future<T> completionServiceTake(CompletionService<T> service)
            throws InterruptedException {
        OperationTasks tasks = OperationTasks.current();
        if (tasks == null) {
            return service.take();
        }
        Future<T> next = service.poll();
        while (next == null && tasks.runNext()) {
            next = service.poll();
        }
        next = next == null ? service.poll(MOST_SECONDS, TimeUnit.SECONDS) : next;
        if (next == null) {
            throw never("a CompletionService");
        }
        return next;
    }

    private static void runFor(Future<?> future) {
        OperationTasks tasks = OperationTasks.current();
        // One that an operation has started does it by itself.
        if (tasks == null || future instanceof OrderedFuture) {
            return;
        }
        runFirst(tasks, future);
        if (!future.isDone()) {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(MOST_SECONDS);
            while (!future.isDone()) {
                if (System.nanoTime() - end > 0) {
                    throw never("a Future");
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            }
        }
    }

    private static void runFirst(OperationTasks tasks, Future<?> future) {
        OrderedTask task = TaskSubstitutes.task(future);
        if (task != null) {
            tasks.run(task);
        }
        tasks.runUntil(future::isDone);
    }

    // ---- synchronizers ----

    private static void runUntil(BooleanSupplier condition) {
        OperationTasks tasks = OperationTasks.current();
        if (tasks != null) {
            tasks.runUntil(condition);
        }
    }

    /** Whether a task of the operation could run in place of the wait. */
    private static boolean runsSome() {
        OperationTasks tasks = OperationTasks.current();
        return tasks != null && tasks.runSome();
    }

    public static void countDownLatchAwait(CountDownLatch latch) throws InterruptedException {
        if (OperationTasks.current() == null) {
            latch.await();
        } else if (!countDownLatchAwait(latch, MOST_SECONDS, TimeUnit.SECONDS)) {
            throw never("a CountDownLatch");
        }
    }

    public static boolean countDownLatchAwait(CountDownLatch latch, long timeout, TimeUnit unit)
            throws InterruptedException {
        runUntil(() -> latch.getCount() == 0);
        return latch.await(timeout, unit);
    }

    public static void semaphoreAcquire(Semaphore semaphore) throws InterruptedException {
        semaphoreAcquire(semaphore, 1);
    }

    public static void semaphoreAcquire(Semaphore semaphore, int permits) throws InterruptedException {
        if (OperationTasks.current() == null) {
            semaphore.acquire(permits);
        } else if (!semaphoreTryAcquire(semaphore, permits, MOST_SECONDS, TimeUnit.SECONDS)) {
            throw never("a Semaphore");
        }
    }

    public static void semaphoreAcquireUninterruptibly(Semaphore semaphore) {
        semaphoreAcquireUninterruptibly(semaphore, 1);
    }

    public static void semaphoreAcquireUninterruptibly(Semaphore semaphore, int permits) {
        OperationTasks tasks = OperationTasks.current();
        if (tasks != null) {
            tasks.runUntil(() -> semaphore.availablePermits() >= permits);
            if (semaphore.availablePermits() < permits) {
                throw never("a Semaphore");
            }
        }
        semaphore.acquireUninterruptibly(permits);
    }

    public static boolean semaphoreTryAcquire(Semaphore semaphore, long timeout, TimeUnit unit)
            throws InterruptedException {
        return semaphoreTryAcquire(semaphore, 1, timeout, unit);
    }

    public static boolean semaphoreTryAcquire(Semaphore semaphore, int permits, long timeout, TimeUnit unit)
            throws InterruptedException {
        runUntil(() -> semaphore.availablePermits() >= permits);
        return semaphore.tryAcquire(permits, timeout, unit);
    }

    public static <T> T blockingQueueTake(BlockingQueue<T> queue) throws InterruptedException {
        if (OperationTasks.current() == null) {
            return queue.take();
        }
        T taken = blockingQueuePoll(queue, MOST_SECONDS, TimeUnit.SECONDS);
        if (taken == null) {
            throw never("a BlockingQueue");
        }
        return taken;
    }

    public static <T> @Nullable T blockingQueuePoll(BlockingQueue<T> queue, long timeout, TimeUnit unit)
            throws InterruptedException {
        runUntil(() -> queue.peek() != null);
        return queue.poll(timeout, unit);
    }

    /** Its parties would have to run at once. */
    public static int cyclicBarrierAwait(CyclicBarrier barrier) throws InterruptedException, BrokenBarrierException {
        if (OperationTasks.current() != null && barrier.getNumberWaiting() + 1 < barrier.getParties()) {
            throw never("a CyclicBarrier");
        }
        return barrier.await();
    }

    /** The JDK permits that it returns without a signal. */
    public static void conditionAwait(Condition condition) throws InterruptedException {
        OperationTasks tasks = OperationTasks.current();
        if (tasks == null) {
            condition.await();
        } else if (!tasks.runSome() && !condition.await(MOST_SECONDS, TimeUnit.SECONDS)) {
            throw never("a Condition");
        }
    }

    public static boolean conditionAwait(Condition condition, long time, TimeUnit unit) throws InterruptedException {
        return runsSome() || condition.await(time, unit);
    }

    /** As above. */
    public static long conditionAwaitNanos(Condition condition, long nanos) throws InterruptedException {
        return runsSome() ? nanos : condition.awaitNanos(nanos);
    }

    /** As above. */
    public static void objectWait(Object monitor) throws InterruptedException {
        OperationTasks tasks = OperationTasks.current();
        if (tasks == null) {
            monitor.wait();
        } else if (!tasks.runSome()) {
            long began = System.nanoTime();
            monitor.wait(TimeUnit.SECONDS.toMillis(MOST_SECONDS));
            if (System.nanoTime() - began >= TimeUnit.SECONDS.toNanos(MOST_SECONDS)) {
                throw never("a notify");
            }
        }
    }

    public static void objectWait(Object monitor, long millis) throws InterruptedException {
        if (!runsSome()) {
            TimeSubstitutes.objectWait(monitor, millis);
        }
    }

    public static void objectWait(Object monitor, long millis, int nanos) throws InterruptedException {
        if (!runsSome()) {
            TimeSubstitutes.objectWait(monitor, millis, nanos);
        }
    }

    public static void lockSupportPark(Object blocker) {
        if (!runsSome()) {
            LockSupport.park(blocker);
        }
    }

    public static void lockSupportPark() {
        if (!runsSome()) {
            LockSupport.park();
        }
    }
}
