package org.amo.determinism.agent;

import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Timer;
import java.util.TimerTask;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** Starts tasks in each way that the agent orders. It is compiled as it stands, and rewritten when a test loads it. */
@SuppressWarnings({"all", "serial"}) // as servants do
public final class TaskSources {
    private static final List<String> LOG = Collections.synchronizedList(new ArrayList<>());
    private static final Map<String, Callable<?>> ALL = new LinkedHashMap<>();
    private static final Map<String, String> EXPECTED = new LinkedHashMap<>();
    private static volatile Thread operation = Thread.currentThread();
    private static ScheduledFuture<?> kept;
    private static TimerTask watched;

    private TaskSources() {}

    /** The operations by name; each writes {@code end} at its end. */
    public static Map<String, Callable<?>> all() {
        return ALL;
    }

    /** What each writes, with its tasks. */
    public static Map<String, String> expected() {
        return EXPECTED;
    }

    /** What was written since it was asked last. */
    public static String written() {
        synchronized (LOG) {
            String written = String.join(" ", LOG);
            LOG.clear();
            return written;
        }
    }

    private static void log(Object word) {
        LOG.add(Thread.currentThread() == operation ? String.valueOf(word) : "elsewhere:" + word);
    }

    private static void add(String name, String expected, Callable<?> work) {
        EXPECTED.put(name, expected);
        ALL.put(name, () -> {
            operation = Thread.currentThread();
            Object result = work.call();
            log("end");
            return result;
        });
    }

    private static class Worker extends Thread {
        @Override
        public void run() {
            log("w");
        }
    }

    private static final class Announced extends Worker {
        @Override
        public synchronized void start() {
            log("s");
            super.start();
        }
    }

    private interface Startable {
        void start();
    }

    private static final class StartableThread extends Thread implements Startable {
        @Override
        public void run() {
            log("i");
        }
    }

    private static final class NoThread implements Startable {
        @Override
        public void start() {
            log("n");
        }
    }

    private static final class Counting extends ThreadPoolExecutor {
        Counting() {
            super(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
        }

        @Override
        public void execute(Runnable task) {
            log("x");
            super.execute(task);
        }
    }

    private static final class Hooked extends ThreadPoolExecutor {
        Hooked() {
            super(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
        }
    }

    /** Its methods call those above them, whose replacements call these. */
    private static final class Watched extends ThreadPoolExecutor {
        Watched() {
            super(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
        }

        @Override
        public boolean isTerminated() {
            return super.isTerminated();
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
            return super.awaitTermination(timeout, unit);
        }
    }

    private static final class Sum extends RecursiveTask<Integer> {
        private final int upTo;

        Sum(int upTo) {
            this.upTo = upTo;
        }

        @Override
        protected Integer compute() {
            if (upTo < 2) {
                log(upTo);
                return upTo;
            }
            Sum left = new Sum(upTo - 1);
            left.fork();
            return left.join() + upTo;
        }
    }

    private static ExecutorService pool() {
        return Executors.newFixedThreadPool(2, task -> {
            Thread thread = new Thread(task, "of the pool");
            thread.setDaemon(true);
            return thread;
        });
    }

    private static void start(String word, List<String> done) {
        new Thread(() -> {
                    log(word);
                    done.add(word);
                })
                .start();
    }

    private static void release(Semaphore semaphore, int permits) {
        for (int i = 0; i < permits; i++) {
            new Thread(() -> {
                        log("a");
                        semaphore.release();
                    })
                    .start();
        }
    }

    /** A loop that asks and does not wait; it gives up some day. */
    private static void poll(BooleanSupplier ended) {
        for (int i = 0; i < 1_000; i++) {
            if (ended.getAsBoolean()) {
                return;
            }
        }
    }

    private static int value(int value) {
        log(value);
        return value;
    }

    static {
        add("Thread.start", "end a b c", () -> {
            new Thread(() -> log("a")).start();
            new Thread(() -> {
                        log("b");
                        new Thread(() -> log("c")).start();
                    })
                    .start();
            return null;
        });
        add("a subclass of Thread", "end w", () -> {
            new Worker().start();
            return null;
        });
        add("a subclass with a start of its own", "s end w", () -> {
            new Announced().start();
            return null;
        });
        add("start of an interface", "n end i", () -> {
            for (Startable each : List.of(new StartableThread(), new NoThread())) {
                each.start();
            }
            return null;
        });
        add("join", "true a false TERMINATED end b", () -> {
            Thread other = new Thread(() -> log("b"));
            Thread thread = new Thread(() -> log("a"));
            other.start();
            thread.start();
            log(thread.isAlive());
            thread.join();
            log(thread.isAlive());
            log(thread.getState());
            return null;
        });
        add("started twice", "IllegalThreadStateException end a", () -> {
            Thread thread = new Thread(() -> log("a"));
            thread.start();
            try {
                thread.start();
            } catch (IllegalThreadStateException e) {
                log(e.getClass().getSimpleName());
            }
            return null;
        });
        add("method references", "end a w p", () -> {
            List.of(new Thread(() -> log("a")), new Worker()).forEach(Thread::start);
            Consumer<Runnable> execute = pool()::execute;
            execute.accept(() -> log("p"));
            return null;
        });
        add("Executor.execute", "end a b c", () -> {
            ExecutorService pool = pool();
            pool.execute(() -> log("a"));
            pool.execute(() -> {
                log("b");
                pool.execute(() -> log("c"));
            });
            return null;
        });
        add("submit and get", "1 2 true end 3", () -> {
            ExecutorService pool = pool();
            Future<?> none = pool.submit(() -> log(1));
            Future<Integer> two = pool.submit(() -> value(2));
            Future<Integer> three = pool.submit(() -> value(3));
            none.get();
            two.get();
            log(two.isDone() && !three.isDone());
            return null;
        });
        add("a cancelled future", "true end b", () -> {
            ExecutorService pool = pool();
            Future<?> cancelled = pool.submit(() -> log("a"));
            pool.submit(() -> log("b"));
            cancelled.cancel(true);
            log(cancelled.isCancelled());
            return null;
        });
        add("an executor of the application", "a end", () -> {
            Executor direct = Runnable::run;
            direct.execute(() -> log("a"));
            return null;
        });
        add("a pool with an execute of its own", "x x 7 end a", () -> {
            Counting pool = new Counting();
            pool.execute(() -> log("a"));
            pool.submit(() -> value(7)).get();
            return null;
        });
        add("a pool of the application", "end a", () -> {
            new Hooked().execute(() -> log("a"));
            return null;
        });
        add("invokeAll", "1 2 3 end", () -> {
            List<Callable<Integer>> tasks = List.of(() -> value(1), () -> value(2));
            int sum = 0;
            for (Future<Integer> each : pool().invokeAll(tasks)) {
                sum += each.get();
            }
            log(sum);
            return null;
        });
        add("invokeAny", "2 2 end", () -> {
            log(pool().invokeAny(List.of(
                    () -> {
                        throw new IllegalStateException("the first fails");
                    },
                    () -> value(2),
                    () -> value(3))));
            return null;
        });
        add("ForkJoinPool", "1 1 10 6 end", () -> {
            Future<Integer> first = ForkJoinPool.commonPool().submit(new Sum(4));
            int ten = first.get();
            log(ForkJoinPool.commonPool().invoke(new Sum(3)) == 6 ? ten : -1);
            log(6);
            return null;
        });
        add("CompletableFuture", "a 1 12 end b", () -> {
            ExecutorService pool = pool();
            CompletableFuture<Void> ran = CompletableFuture.runAsync(() -> log("a"));
            CompletableFuture<Integer> future = CompletableFuture.supplyAsync(() -> value(1), pool)
                    .thenApplyAsync(one -> one + 1)
                    .thenCombineAsync(CompletableFuture.completedFuture(10), Integer::sum, pool);
            log(future.join());
            ran.thenRunAsync(() -> log("b"));
            return null;
        });
        add("parallel streams", "1 1 end", () -> {
            log(IntStream.range(0, 10_000)
                    .parallel()
                    .mapToObj(each -> Thread.currentThread())
                    .distinct()
                    .count());
            log(List.of(1, 2, 3, 4, 5, 6, 7, 8).parallelStream()
                    .map(each -> Thread.currentThread())
                    .distinct()
                    .count());
            return null;
        });
        add("CountDownLatch", "a b end c", () -> {
            CountDownLatch latch = new CountDownLatch(2);
            for (String word : List.of("a", "b", "c")) {
                new Thread(() -> {
                            log(word);
                            latch.countDown();
                        })
                        .start();
            }
            latch.await();
            return null;
        });
        add("Semaphore and BlockingQueue", "a q end", () -> {
            Semaphore semaphore = new Semaphore(0);
            ArrayBlockingQueue<String> queue = new ArrayBlockingQueue<>(1);
            new Thread(() -> {
                        log("a");
                        semaphore.release();
                    })
                    .start();
            new Thread(() -> queue.add("q")).start();
            semaphore.acquire();
            log(queue.take());
            return null;
        });
        add("wait and notify", "a end", () -> {
            Deque<String> box = new ArrayDeque<>();
            new Thread(() -> {
                        synchronized (box) {
                            box.add("a");
                            box.notifyAll();
                        }
                    })
                    .start();
            synchronized (box) {
                while (box.isEmpty()) {
                    box.wait();
                }
                log(box.poll());
            }
            return null;
        });
        add("ExecutorCompletionService", "1 2 3 end", () -> {
            ExecutorCompletionService<Integer> service = new ExecutorCompletionService<>(pool());
            service.submit(() -> value(1));
            service.submit(() -> value(2));
            log(service.take().get() + service.take().get());
            return null;
        });
        add("FutureTask", "5 5 end", () -> {
            FutureTask<Integer> task = new FutureTask<>(() -> value(5));
            new Thread(task).start();
            log(task.get());
            return null;
        });
        add("a loop that sleeps", "a end", () -> {
            boolean[] done = {false};
            new Thread(() -> {
                        log("a");
                        done[0] = true;
                    })
                    .start();
            while (!done[0]) {
                Thread.sleep(1);
            }
            return null;
        });
        add("loops that wait for nanoseconds", "a b c d end", () -> {
            List<String> done = new ArrayList<>();
            start("a", done);
            while (done.size() < 1) {
                Thread.sleep(0, 1);
            }
            start("b", done);
            while (done.size() < 2) {
                LockSupport.parkNanos(1);
            }
            start("c", done);
            while (done.size() < 3) {
                LockSupport.parkNanos(done, 1);
            }
            start("d", done);
            synchronized (done) {
                while (done.size() < 4) {
                    done.wait(60_000, 1);
                }
            }
            return null;
        });
        add("park with a blocker", "a end", () -> {
            Thread waiting = Thread.currentThread();
            new Thread(() -> {
                        log("a");
                        LockSupport.unpark(waiting);
                    })
                    .start();
            LockSupport.park(waiting);
            return null;
        });
        add("several permits of a Semaphore", "a a true a a a true end", () -> {
            Semaphore semaphore = new Semaphore(0);
            release(semaphore, 2);
            semaphore.acquire(2);
            log(semaphore.availablePermits() == 0);
            release(semaphore, 1);
            semaphore.acquireUninterruptibly();
            release(semaphore, 2);
            semaphore.acquireUninterruptibly(1);
            log(semaphore.tryAcquire(1, TimeUnit.MINUTES));
            return null;
        });
        add("a Condition for nanoseconds", "a end", () -> {
            ReentrantLock lock = new ReentrantLock();
            Condition changed = lock.newCondition();
            List<String> done = new ArrayList<>();
            start("a", done);
            lock.lock();
            try {
                while (done.isEmpty()) {
                    changed.awaitNanos(TimeUnit.MINUTES.toNanos(1));
                }
            } finally {
                lock.unlock();
            }
            return null;
        });
        add("shutdown and awaitTermination", "a true RejectedExecutionException end", () -> {
            ExecutorService pool = pool();
            pool.execute(() -> log("a"));
            pool.shutdown();
            log(pool.awaitTermination(1, TimeUnit.MINUTES));
            try {
                pool.execute(() -> log("b"));
            } catch (java.util.concurrent.RejectedExecutionException e) {
                log(e.getClass().getSimpleName());
            }
            return null;
        });
        add("shutdownNow", "1 end", () -> {
            ExecutorService pool = pool();
            pool.execute(() -> log("a"));
            log(pool.shutdownNow().size());
            return null;
        });
        add("shutdown and isTerminated", "false a true end", () -> {
            ExecutorService pool = pool();
            pool.execute(() -> log("a"));
            log(pool.isTerminated());
            pool.shutdown();
            poll(() -> pool.isTerminated());
            log(pool.isTerminated());
            return null;
        });
        add("an executor with ends of its own", "a true b true end", () -> {
            Watched one = new Watched();
            one.execute(() -> log("a"));
            one.shutdown();
            log(one.isTerminated());
            ExecutorService other = new Watched();
            other.execute(() -> log("b"));
            other.shutdown();
            log(other.awaitTermination(1, TimeUnit.MINUTES));
            return null;
        });
        add("a loop that asks a Future", "a b end c", () -> {
            ExecutorService pool = pool();
            Future<?> first = pool.submit(() -> log("a"));
            Future<?> second = pool.submit(() -> log("b"));
            pool.submit(() -> log("c"));
            poll(() -> first.isDone() && second.isDone());
            return null;
        });
        add("a loop that asks several futures", "a b c end", () -> {
            ExecutorService pool = pool();
            List<CompletableFuture<Void>> futures = new ArrayList<>();
            for (String word : List.of("a", "b", "c")) {
                futures.add(CompletableFuture.runAsync(() -> log(word), pool));
            }
            poll(() -> futures.stream().allMatch(CompletableFuture::isDone));
            return null;
        });
        add("a loop that asks a Thread", "a b c end", () -> {
            Thread first = new Thread(() -> log("a"));
            Thread second = new Thread(() -> log("b"));
            Thread third = new Thread(() -> log("c"));
            first.start();
            second.start();
            third.start();
            poll(() -> !second.isAlive());
            poll(() -> third.getState() == Thread.State.TERMINATED);
            return null;
        });
        add("a Future that is asked once", "false false end a b", () -> {
            ExecutorService pool = pool();
            List<Future<?>> futures = List.of(pool.submit(() -> log("a")), pool.submit(() -> log("b")));
            futures.forEach(future -> log(future.isDone()));
            return null;
        });
        add("exceptions", "handled end b", () -> {
            Thread thread = new Thread(() -> {
                throw new IllegalStateException("of the task");
            });
            thread.setUncaughtExceptionHandler((of, thrown) -> log("handled"));
            thread.start();
            pool().execute(() -> {
                throw new IllegalStateException("of the pool");
            });
            Thread last = new Thread(() -> log("b"));
            last.start();
            thread.join();
            return null;
        });
        add("a failed future", "ExecutionException end", () -> {
            Future<?> future = pool().submit(() -> {
                throw new IllegalStateException("of the task");
            });
            try {
                future.get();
            } catch (ExecutionException e) {
                log(e.getClass().getSimpleName());
            }
            return null;
        });
        add("a task that waits for its caller", "IllegalStateException end", () -> {
            Thread[] self = new Thread[1];
            self[0] = new Thread(() -> {
                try {
                    self[0].join();
                } catch (InterruptedException | IllegalStateException e) {
                    log(e.getClass().getSimpleName());
                }
            });
            self[0].start();
            self[0].join();
            return null;
        });
    }

    // ---- timers ----

    /** Schedules one of each kind. */
    public static void schedule() {
        operation = Thread.currentThread();
        ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();
        executor.schedule(() -> log("once"), 50, TimeUnit.MILLISECONDS);
        executor.scheduleAtFixedRate(new Limited("rate", 3), 10, 20, TimeUnit.MILLISECONDS);
        executor.scheduleWithFixedDelay(new Limited("delay", 2), 10, 20, TimeUnit.MILLISECONDS);
        executor.schedule(() -> log("now"), 0, TimeUnit.MILLISECONDS);
        new Timer(true).schedule(timerTask("timer", Integer.MAX_VALUE), 20);
        new Timer(true).scheduleAtFixedRate(timerTask("ticks", 2), 40, 5);
    }

    /** Schedules one and keeps its future. */
    public static void keep() {
        kept = Executors.newSingleThreadScheduledExecutor()
                .scheduleAtFixedRate(() -> log("kept"), 10, 20, TimeUnit.MILLISECONDS);
    }

    public static boolean isKeptCancelled() {
        return kept.isCancelled();
    }

    private static TimerTask timerTask(String word, int times) {
        return new TimerTask() {
            private int left = times;

            @Override
            public void run() {
                log(word);
                left--;
                if (left == 0) {
                    cancel();
                }
            }
        };
    }

    /** Tells for each run how late it is, by the clock. */
    public static void tellLateness() {
        operation = Thread.currentThread();
        TimerTask task = new TimerTask() {
            @Override
            public void run() {
                log(System.currentTimeMillis() - scheduledExecutionTime());
            }
        };
        new Timer(true).scheduleAtFixedRate(task, 10, 20);
        watched = task;
    }

    /** Tells how long ago the latest run was due. */
    public static void askForLatestRun() {
        log(System.currentTimeMillis() - watched.scheduledExecutionTime());
        watched.cancel();
    }

    /** A task that is cancelled before it is scheduled, and one whose cancel calls that above it. */
    public static void cancelEarly() {
        operation = Thread.currentThread();
        TimerTask early = timerTask("early", 1);
        early.cancel();
        try {
            new Timer(true).schedule(early, 5);
        } catch (IllegalStateException e) {
            log(e.getClass().getSimpleName());
        }
        TimerTask own = new TimerTask() {
            @Override
            public void run() {
                log("own");
            }

            @Override
            public boolean cancel() {
                log("cancelled");
                return super.cancel();
            }
        };
        new Timer(true).schedule(own, 5);
        log(own.cancel());
    }

    /** Waits for something that does not come, by the clock, as textbooks do. */
    public static void guardedWait() throws InterruptedException {
        operation = Thread.currentThread();
        long began = System.currentTimeMillis();
        long end = began + 50;
        Object lock = new Object();
        int waits = 0;
        synchronized (lock) {
            for (long now = began; now < end && waits < 20; now = System.currentTimeMillis()) {
                lock.wait(end - now);
                waits++;
            }
        }
        log(waits);
    }

    /** Ends its timer by an exception. */
    private record Limited(String word, int[] left) implements Runnable {
        Limited(String word, int times) {
            this(word, new int[] {times});
        }

        @Override
        public void run() {
            log(word);
            left[0]--;
            if (left[0] == 0) {
                throw new IllegalStateException("enough");
            }
        }
    }

    /** Waits in the operation for a timer. */
    public static void waitForTimer() throws Exception {
        operation = Thread.currentThread();
        long before = System.currentTimeMillis();
        ScheduledFuture<String> future =
                Executors.newSingleThreadScheduledExecutor().schedule(() -> "late", 5, TimeUnit.SECONDS);
        log(future.get() + (System.currentTimeMillis() - before >= 5_000));
    }

    /** A future that a timer ends. */
    public static void expire() {
        operation = Thread.currentThread();
        CompletableFuture<String> future = new CompletableFuture<>();
        future.orTimeout(1, TimeUnit.SECONDS)
                .whenComplete((value, thrown) -> log(thrown.getClass().getSimpleName()));
        CompletableFuture.runAsync(() -> log("later"), CompletableFuture.delayedExecutor(2, TimeUnit.SECONDS));
    }

    /** Sets a timer that draws. */
    public static void drawLater() {
        operation = Thread.currentThread();
        Executors.newSingleThreadScheduledExecutor()
                .schedule(() -> log(UUID.randomUUID() + " " + System.nanoTime()), 1, TimeUnit.SECONDS);
    }

    /** Starts a task that draws. */
    public static void draw() {
        operation = Thread.currentThread();
        log(UUID.randomUUID());
        new Thread(() -> log(UUID.randomUUID() + " " + System.nanoTime())).start();
    }

    /** Starts a thread and a task of fork and join, and forgets them. */
    public static List<WeakReference<?>> forgotten() {
        operation = Thread.currentThread();
        Thread thread = new Thread(() -> log("a"));
        thread.start();
        Sum sum = new Sum(1);
        sum.fork();
        return List.of(new WeakReference<>(thread), new WeakReference<>(sum));
    }

    /** Starts a task that overflows the stack. */
    public static void overflow() {
        pool().submit(() -> recurse(0));
    }

    private static int recurse(int depth) {
        return recurse(depth + 1) + 1;
    }

    /** Starts a thread whose handler fails, too. */
    public static void throwingHandler() {
        Thread thread = new Thread(() -> {
            throw new IllegalStateException("planted");
        });
        thread.setUncaughtExceptionHandler((of, thrown) -> {
            throw new AssertionError("planted in the handler");
        });
        thread.start();
    }

    /** The same by a method that nothing orders. */
    public static void setAll() {
        java.util.Arrays.parallelSetAll(new int[10], index -> index);
    }
}
