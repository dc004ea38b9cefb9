package org.amo.determinism.runtime;

import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Objects;
import java.util.Spliterator;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.BaseStream;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * Stand for the methods of the JDK that start a thread, or give a task to one; outside an operation each is the JDK's. Inside,
 * the task goes to {@link OperationTasks}. A method is named for the class and the method that it replaces; an instance
 * method has the object as its first parameter.
 */
public final class TaskSubstitutes {
    /** The tasks that stand for threads, timer tasks and fork-join tasks. */
    private static final WeakTable<Object, OrderedTask> STARTED = new WeakTable<>();

    private static final WeakTable<TimerTask, OrderedTimer<?>> SCHEDULED = new WeakTable<>();

    /** Cancelled without having been scheduled by an operation. */
    private static final WeakTable<TimerTask, Boolean> CANCELLED = new WeakTable<>();

    private TaskSubstitutes() {}

    /** The task that stands for it, if an operation has started it. */
    static @Nullable OrderedTask task(Object started) {
        return STARTED.get(started);
    }

    /** An exception of a task: as harmless as one that a thread does not catch. */
    static void report(Throwable thrown) {
        ThreadStarts.report("a task that an operation has started ended with " + thrown, thrown);
    }

    /** Whether the call, made in an operation, goes to a method of the JDK's and not to one of the application's. */
    private static boolean isJdks(OperationTasks tasks, Object target, String name, Class<?>... parameters) {
        return tasks.leaveSuperCall() || TaskSites.isJdks(target.getClass(), name, parameters);
    }

    // ---- threads ----

    public static void threadStart(Thread thread) {
        if (STARTED.get(thread) != null) {
            throw new IllegalThreadStateException("the thread " + thread.getName() + " was started before");
        }
        OperationTasks tasks = OperationTasks.current();
        if (tasks == null || thread.getState() != Thread.State.NEW || !isJdks(tasks, thread, "start")) {
            thread.start();
        } else {
            start(tasks, thread, thread);
        }
    }

    private static void start(OperationTasks tasks, Thread thread, Runnable body) {
        STARTED.put(thread, tasks.add(thread, body, thrown -> uncaught(thread, thrown)));
    }

    private static void uncaught(Thread thread, Throwable thrown) {
        report(thrown);
        try {
            Thread.UncaughtExceptionHandler handler = thread.getUncaughtExceptionHandler();
            if (handler == null || handler.getClass() == ThreadGroup.class) {
                handler = Thread.getDefaultUncaughtExceptionHandler();
            }
            if (handler != null) {
                handler.uncaughtException(thread, thrown);
            }
        } catch (VirtualMachineError e) {
            throw e;
        } catch (Throwable e) {
            // The JDK ignores it, too.
            report(e);
        }
    }

    /** The method is in Java 21 and later. */
    public static Thread threadStartVirtualThread(Runnable body) {
        return unstarted("ofVirtual", body);
    }

    private static Thread unstarted(String builder, Runnable body) {
        try {
            return builderStart(Thread.class.getMethod(builder).invoke(null), body);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this JDK has no Thread." + builder, e);
        }
    }

    /** {@code Thread.Builder.start}, in Java 21 and later. */
    public static Thread builderStart(Object builder, Runnable body) {
        OperationTasks tasks = OperationTasks.current();
        try {
            Thread thread = (Thread) Class.forName("java.lang.Thread$Builder")
                    .getMethod(tasks == null ? "start" : "unstarted", Runnable.class)
                    .invoke(builder, body);
            if (tasks != null) {
                // The run method of a virtual thread does nothing.
                start(tasks, thread, body);
            }
            return thread;
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new IllegalStateException("the thread cannot be started", e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this JDK has no Thread.Builder", e);
        }
    }

    // ---- executors ----

    public static void executorExecute(Executor executor, Runnable body) {
        OperationTasks tasks = OperationTasks.current();
        if (tasks == null) {
            executor.execute(body);
            return;
        }
        boolean superCall = tasks.leaveSuperCall();
        if (!superCall && !TaskSites.isJdks(executor.getClass(), "execute", Runnable.class)) {
            executor.execute(body);
        } else if (executor instanceof ExecutorService service && service.isShutdown()) {
            throw new RejectedExecutionException("the executor has been shut down");
        } else {
            tasks.add(executor, Objects.requireNonNull(body), TaskSubstitutes::report);
        }
    }

    public static Future<?> executorServiceSubmit(ExecutorService executor, Runnable body) {
        OperationTasks tasks = OperationTasks.current();
        return tasks == null || !isJdks(tasks, executor, "submit", Runnable.class)
                ? executor.submit(body)
                : submit(tasks, executor, Executors.callable(body));
    }

    public static <T extends @Nullable Object> Future<T> executorServiceSubmit(
            ExecutorService executor, Runnable body, T result) {
        OperationTasks tasks = OperationTasks.current();
        return tasks == null || !isJdks(tasks, executor, "submit", Runnable.class, Object.class)
                ? executor.submit(body, result)
                : submit(tasks, executor, Executors.callable(body, result));
    }

    public static <T extends @Nullable Object> Future<T> executorServiceSubmit(
            ExecutorService executor, Callable<T> body) {
        OperationTasks tasks = OperationTasks.current();
        return tasks == null || !isJdks(tasks, executor, "submit", Callable.class)
                ? executor.submit(body)
                : submit(tasks, executor, body);
    }

    /** The application may have a method {@code execute} of its own. */
    private static <T extends @Nullable Object> Future<T> submit(
            OperationTasks tasks, ExecutorService executor, Callable<T> body) {
        OrderedFuture<T> future = new OrderedFuture<>(tasks, body);
        executorExecute(executor, future);
        return future;
    }

    public static <T extends @Nullable Object> List<Future<T>> executorServiceInvokeAll(
            ExecutorService executor, Collection<? extends Callable<T>> bodies) throws InterruptedException {
        OperationTasks tasks = OperationTasks.current();
        if (tasks == null || !isJdks(tasks, executor, "invokeAll", Collection.class)) {
            return executor.invokeAll(bodies);
        }
        List<Future<T>> futures = new ArrayList<>();
        for (Callable<T> body : bodies) {
            futures.add(submit(tasks, executor, body));
        }
        futures.forEach(future -> tasks.runFor(future, future::isDone, "a Future"));
        return futures;
    }

    public static <T extends @Nullable Object> List<Future<T>> executorServiceInvokeAll(
            ExecutorService executor, Collection<? extends Callable<T>> bodies, long timeout, TimeUnit unit)
            throws InterruptedException {
        return OperationTasks.current() == null
                ? executor.invokeAll(bodies, timeout, unit)
                : executorServiceInvokeAll(executor, bodies);
    }

    public static <T extends @Nullable Object> T executorServiceInvokeAny(
            ExecutorService executor, Collection<? extends Callable<T>> bodies)
            throws InterruptedException, ExecutionException {
        OperationTasks tasks = OperationTasks.current();
        if (tasks == null || !isJdks(tasks, executor, "invokeAny", Collection.class)) {
            return executor.invokeAny(bodies);
        }
        ExecutionException failure = null;
        for (Callable<T> body : bodies) {
            OrderedFuture<T> future = new OrderedFuture<>(tasks, body);
            future.run();
            try {
                return future.get();
            } catch (ExecutionException e) {
                failure = e;
            }
        }
        if (failure == null) {
            throw new IllegalArgumentException("no task is given");
        }
        throw failure;
    }

    public static void executorServiceShutdown(ExecutorService executor) {
        OperationTasks tasks = OperationTasks.current();
        executor.shutdown();
        if (tasks != null) {
            // The JDK's default: one that has been scheduled to run once still does.
            tasks.cancel(timer -> timer.isOf(executor) && timer.isPeriodic());
        }
    }

    public static List<Runnable> executorServiceShutdownNow(ExecutorService executor) {
        OperationTasks tasks = OperationTasks.current();
        List<Runnable> waiting = new ArrayList<>(executor.shutdownNow());
        if (tasks != null) {
            tasks.cancel(timer -> timer.isOf(executor));
            waiting.addAll(tasks.dropAllOf(executor));
        }
        return waiting;
    }

    public static boolean executorServiceAwaitTermination(ExecutorService executor, long timeout, TimeUnit unit)
            throws InterruptedException {
        OperationTasks tasks = OperationTasks.current();
        if (tasks != null) {
            tasks.runAllOf(executor);
        }
        return executor.awaitTermination(timeout, unit);
    }

    /** One that asks until it is true waits for the tasks. */
    public static boolean executorServiceIsTerminated(ExecutorService executor) {
        OperationTasks tasks = OperationTasks.current();
        if (tasks != null && executor.isShutdown()) {
            tasks.runAllOf(executor);
        }
        return executor.isTerminated();
    }

    /** The method is in Java 19 and later. */
    public static void executorServiceClose(ExecutorService executor) {
        OperationTasks tasks = OperationTasks.current();
        if (tasks != null) {
            tasks.runAllOf(executor);
        }
        if (executor instanceof AutoCloseable closeable) {
            try {
                closeable.close();
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException("an executor's close throws no checked exception", e);
            }
        }
    }

    // ---- fork and join ----

    public static <T extends @Nullable Object> ForkJoinTask<T> forkJoinTaskFork(ForkJoinTask<T> task) {
        OperationTasks tasks = OperationTasks.current();
        return tasks == null ? task.fork() : add(tasks, task, task);
    }

    private static <T extends @Nullable Object> ForkJoinTask<T> add(
            OperationTasks tasks, Object source, ForkJoinTask<T> task) {
        STARTED.put(task, tasks.add(source, task::quietlyInvoke, TaskSubstitutes::report));
        return task;
    }

    public static void forkJoinTaskInvokeAll(ForkJoinTask<?> first, ForkJoinTask<?> second) {
        if (OperationTasks.current() == null) {
            ForkJoinTask.invokeAll(first, second);
        } else {
            forkJoinTaskInvokeAll(new ForkJoinTask<?>[] {first, second});
        }
    }

    public static void forkJoinTaskInvokeAll(ForkJoinTask<?>... all) {
        if (OperationTasks.current() == null) {
            ForkJoinTask.invokeAll(all);
            return;
        }
        for (ForkJoinTask<?> each : all) {
            each.quietlyInvoke();
        }
        for (ForkJoinTask<?> each : all) {
            Object unused = each.join();
        }
    }

    public static <T extends ForkJoinTask<?>> Collection<T> forkJoinTaskInvokeAll(Collection<T> all) {
        if (OperationTasks.current() == null) {
            return ForkJoinTask.invokeAll(all);
        }
        forkJoinTaskInvokeAll(all.toArray(new ForkJoinTask<?>[0]));
        return all;
    }

    public static <T extends @Nullable Object> T forkJoinPoolInvoke(ForkJoinPool pool, ForkJoinTask<T> task) {
        return OperationTasks.current() == null ? pool.invoke(task) : task.invoke();
    }

    public static void forkJoinPoolExecute(ForkJoinPool pool, ForkJoinTask<?> task) {
        OperationTasks tasks = OperationTasks.current();
        if (tasks == null) {
            pool.execute(task);
        } else {
            ForkJoinTask<?> unused = add(tasks, pool, task);
        }
    }

    public static <T extends @Nullable Object> ForkJoinTask<T> forkJoinPoolSubmit(
            ForkJoinPool pool, ForkJoinTask<T> task) {
        OperationTasks tasks = OperationTasks.current();
        return tasks == null ? pool.submit(task) : add(tasks, pool, task);
    }

    public static <T extends @Nullable Object> ForkJoinTask<T> forkJoinPoolSubmit(ForkJoinPool pool, Callable<T> body) {
        OperationTasks tasks = OperationTasks.current();
        return tasks == null ? pool.submit(body) : add(tasks, pool, ForkJoinTask.adapt(body));
    }

    public static <T extends @Nullable Object> ForkJoinTask<T> forkJoinPoolSubmit(
            ForkJoinPool pool, Runnable body, T result) {
        OperationTasks tasks = OperationTasks.current();
        return tasks == null ? pool.submit(body, result) : add(tasks, pool, ForkJoinTask.adapt(body, result));
    }

    public static ForkJoinTask<?> forkJoinPoolSubmit(ForkJoinPool pool, Runnable body) {
        OperationTasks tasks = OperationTasks.current();
        return tasks == null ? pool.submit(body) : add(tasks, pool, ForkJoinTask.adapt(body));
    }

    // ---- CompletableFuture ----

    /** In the place of an executor that a future is given. */
    public static Executor executor(Executor given) {
        return given instanceof OrderedExecutor ? given : new OrderedExecutor(given);
    }

    /** In the place of the executor of a future that is given none. */
    public static Executor executor() {
        return new OrderedExecutor(new CompletableFuture<>().defaultExecutor());
    }

    public static Executor completableFutureDelayedExecutor(long delay, TimeUnit unit, Executor executor) {
        return new OrderedExecutor(
                executor, CompletableFuture.delayedExecutor(delay, unit, executor), unit.toNanos(delay));
    }

    public static Executor completableFutureDelayedExecutor(long delay, TimeUnit unit) {
        return completableFutureDelayedExecutor(delay, unit, new CompletableFuture<>().defaultExecutor());
    }

    public static <T extends @Nullable Object> CompletableFuture<T> completableFutureOrTimeout(
            CompletableFuture<T> future, long timeout, TimeUnit unit) {
        OperationTasks tasks = OperationTasks.current();
        if (tasks == null) {
            return future.orTimeout(timeout, unit);
        }
        return expire(
                tasks,
                future,
                () -> future.completeExceptionally(new java.util.concurrent.TimeoutException()),
                unit.toNanos(timeout));
    }

    public static <T extends @Nullable Object> CompletableFuture<T> completableFutureCompleteOnTimeout(
            CompletableFuture<T> future, T value, long timeout, TimeUnit unit) {
        OperationTasks tasks = OperationTasks.current();
        return tasks == null
                ? future.completeOnTimeout(value, timeout, unit)
                : expire(tasks, future, () -> future.complete(value), unit.toNanos(timeout));
    }

    private static <T extends @Nullable Object> CompletableFuture<T> expire(
            OperationTasks tasks, CompletableFuture<T> future, Callable<Boolean> end, long nanos) {
        if (!future.isDone()) {
            OrderedTimer<Boolean> timer = tasks.schedule(future, end, nanos, 0);
            CompletableFuture<T> unused = future.whenComplete((value, thrown) -> timer.cancel(false));
        }
        return future;
    }

    // ---- timers ----

    public static ScheduledFuture<?> scheduledExecutorServiceSchedule(
            ScheduledExecutorService executor, Runnable body, long delay, TimeUnit unit) {
        OperationTasks tasks = OperationTasks.current();
        return tasks == null || !isJdks(tasks, executor, "schedule", Runnable.class, long.class, TimeUnit.class)
                ? executor.schedule(body, delay, unit)
                : schedule(tasks, executor, Executors.callable(body), unit.toNanos(delay), 0);
    }

    public static <T extends @Nullable Object> ScheduledFuture<T> scheduledExecutorServiceSchedule(
            ScheduledExecutorService executor, Callable<T> body, long delay, TimeUnit unit) {
        OperationTasks tasks = OperationTasks.current();
        return tasks == null || !isJdks(tasks, executor, "schedule", Callable.class, long.class, TimeUnit.class)
                ? executor.schedule(body, delay, unit)
                : schedule(tasks, executor, body, unit.toNanos(delay), 0);
    }

    public static ScheduledFuture<?> scheduledExecutorServiceScheduleAtFixedRate(
            ScheduledExecutorService executor, Runnable body, long first, long period, TimeUnit unit) {
        OperationTasks tasks = OperationTasks.current();
        return tasks == null || !repeatsAsJdks(tasks, executor, "scheduleAtFixedRate")
                ? executor.scheduleAtFixedRate(body, first, period, unit)
                : schedule(
                        tasks, executor, Executors.callable(body), unit.toNanos(first), unit.toNanos(positive(period)));
    }

    public static ScheduledFuture<?> scheduledExecutorServiceScheduleWithFixedDelay(
            ScheduledExecutorService executor, Runnable body, long first, long delay, TimeUnit unit) {
        OperationTasks tasks = OperationTasks.current();
        return tasks == null || !repeatsAsJdks(tasks, executor, "scheduleWithFixedDelay")
                ? executor.scheduleWithFixedDelay(body, first, delay, unit)
                : schedule(
                        tasks, executor, Executors.callable(body), unit.toNanos(first), -unit.toNanos(positive(delay)));
    }

    private static boolean repeatsAsJdks(OperationTasks tasks, ScheduledExecutorService executor, String method) {
        return isJdks(tasks, executor, method, Runnable.class, long.class, long.class, TimeUnit.class);
    }

    private static <T extends @Nullable Object> OrderedTimer<T> schedule(
            OperationTasks tasks, ScheduledExecutorService executor, Callable<T> body, long first, long period) {
        if (executor.isShutdown()) {
            throw new RejectedExecutionException("the executor has been shut down");
        }
        return tasks.schedule(executor, Objects.requireNonNull(body), first, period);
    }

    private static long positive(long period) {
        if (period <= 0) {
            throw new IllegalArgumentException("the period must be positive: " + period);
        }
        return period;
    }

    public static void timerSchedule(Timer timer, TimerTask task, long delay) {
        if (isOutside()) {
            timer.schedule(task, delay);
        } else {
            schedule(timer, task, notNegative(delay), 0);
        }
    }

    public static void timerSchedule(Timer timer, TimerTask task, long delay, long period) {
        if (isOutside()) {
            timer.schedule(task, delay, period);
        } else {
            schedule(timer, task, notNegative(delay), -positive(period));
        }
    }

    public static void timerSchedule(Timer timer, TimerTask task, Date first) {
        if (isOutside()) {
            timer.schedule(task, first);
        } else {
            schedule(timer, task, delayUntil(first), 0);
        }
    }

    public static void timerSchedule(Timer timer, TimerTask task, Date first, long period) {
        if (isOutside()) {
            timer.schedule(task, first, period);
        } else {
            schedule(timer, task, delayUntil(first), -positive(period));
        }
    }

    public static void timerScheduleAtFixedRate(Timer timer, TimerTask task, long delay, long period) {
        if (isOutside()) {
            timer.scheduleAtFixedRate(task, delay, period);
        } else {
            schedule(timer, task, notNegative(delay), positive(period));
        }
    }

    public static void timerScheduleAtFixedRate(Timer timer, TimerTask task, Date first, long period) {
        if (isOutside()) {
            timer.scheduleAtFixedRate(task, first, period);
        } else {
            schedule(timer, task, delayUntil(first), positive(period));
        }
    }

    private static boolean isOutside() {
        return OperationTasks.current() == null;
    }

    private static long notNegative(long delay) {
        if (delay < 0) {
            throw new IllegalArgumentException("the delay must not be negative: " + delay);
        }
        return delay;
    }

    @SuppressWarnings("JavaUtilDate") // of the replaced method
    private static long delayUntil(Date first) {
        OperationTasks tasks = Objects.requireNonNull(OperationTasks.current());
        return first.getTime() - TimeUnit.NANOSECONDS.toMillis(tasks.orderedNanos());
    }

    private static void schedule(Timer timer, TimerTask task, long delayMillis, long periodMillis) {
        OperationTasks tasks = Objects.requireNonNull(OperationTasks.current());
        if (SCHEDULED.get(task) != null || CANCELLED.get(task) != null) {
            throw new IllegalStateException("the task was scheduled or cancelled before");
        }
        Callable<Object> body = () -> {
            try {
                task.run();
            } catch (VirtualMachineError e) {
                throw e;
            } catch (Throwable e) {
                // It ends the thread of a timer of the JDK's.
                report(e);
                tasks.cancel(each -> each.isOf(timer));
            }
            return timer;
        };
        SCHEDULED.put(
                task,
                tasks.schedule(
                        timer,
                        body,
                        TimeUnit.MILLISECONDS.toNanos(delayMillis),
                        TimeUnit.MILLISECONDS.toNanos(periodMillis)));
    }

    public static boolean timerTaskCancel(TimerTask task) {
        return cancelled(task, task.cancel());
    }

    private static boolean cancelled(TimerTask task, boolean before) {
        OrderedTimer<?> ordered = SCHEDULED.get(task);
        if (ordered == null) {
            CANCELLED.put(task, true);
            return before;
        }
        return ordered.cancel(false) || before;
    }

    public static long timerTaskScheduledExecutionTime(TimerTask task) {
        return scheduled(task, task.scheduledExecutionTime());
    }

    private static long scheduled(TimerTask task, long elsewhere) {
        OrderedTimer<?> ordered = SCHEDULED.get(task);
        return ordered == null ? elsewhere : TimeUnit.NANOSECONDS.toMillis(ordered.scheduledNanos());
    }

    /** The result of one of the two methods above, called as that of the superclass and so without coming back to one that overrides it. */
    static Object ofSuperclass(TimerTask task, Object result) {
        if (result instanceof Boolean before) {
            return cancelled(task, before);
        }
        return result instanceof Long elsewhere ? scheduled(task, elsewhere) : result;
    }

    public static void timerCancel(Timer timer) {
        timer.cancel();
        OperationTasks tasks = OperationTasks.current();
        if (tasks != null) {
            tasks.cancel(each -> each.isOf(timer));
        }
    }

    // ---- streams ----

    public static <T extends @Nullable Object> Stream<T> collectionParallelStream(Collection<T> collection) {
        return isOutside() ? collection.parallelStream() : collection.stream();
    }

    public static BaseStream<?, ?> baseStreamParallel(BaseStream<?, ?> stream) {
        return isOutside() ? stream.parallel() : stream.sequential();
    }

    public static IntStream intStreamParallel(IntStream stream) {
        return isOutside() ? stream.parallel() : stream.sequential();
    }

    public static LongStream longStreamParallel(LongStream stream) {
        return isOutside() ? stream.parallel() : stream.sequential();
    }

    public static DoubleStream doubleStreamParallel(DoubleStream stream) {
        return isOutside() ? stream.parallel() : stream.sequential();
    }

    public static <T extends @Nullable Object> Stream<T> streamSupportStream(
            Spliterator<T> elements, boolean parallel) {
        return StreamSupport.stream(elements, parallel && isOutside());
    }
}
