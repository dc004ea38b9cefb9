package org.amo.replication;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many short rounds in which threads meet at the hand-over, with planted bugs that the same rounds find. */
@Timeout(120)
class SerialOwnerTest {
    private static final int ROUNDS = 20_000;
    private static final int THREADS = 3;
    private static final int TASKS = 4;

    @Test
    void eachTaskRunsOnceAloneAndInTheOrderOfItsThread() throws Exception {
        assertEquals("", violation(() -> new SerialOwner(SerialOwnerTest::rethrow)::run));
    }

    @Test
    void aHandOverThatLooksBeforeItCountsIsFound() throws Exception {
        assertTrue(!violation(() -> new LooksFirst()::run).isEmpty());
    }

    @Test
    void aHandOverWithoutOrderIsFound() throws Exception {
        assertTrue(!violation(() -> Runnable::run).isEmpty());
    }

    @Test
    void aTaskThatThrowsIsToldOfAndTheNextOnesRun() {
        List<Throwable> told = new ArrayList<>();
        SerialOwner owner = new SerialOwner(told::add);
        List<String> ran = new ArrayList<>();
        owner.run(() -> {
            owner.run(() -> ran.add("inner"));
            ran.add("outer");
            throw new IllegalStateException("planted");
        });
        assertEquals(List.of("outer", "inner"), ran, "a task handed in by a task runs after it");
        assertEquals("planted", told.get(0).getMessage());
    }

    /** The first thing that went wrong, or nothing. */
    private static String violation(Supplier<Consumer<Runnable>> owners) throws Exception {
        AtomicReference<Core> core = new AtomicReference<>(new Core(owners.get()));
        AtomicReference<String> wrong = new AtomicReference<>("");
        CyclicBarrier start = new CyclicBarrier(THREADS);
        CyclicBarrier end = new CyclicBarrier(THREADS, () -> {
            String violation = core.get().violation();
            if (!violation.isEmpty()) {
                wrong.compareAndSet("", violation);
            }
            core.set(new Core(owners.get()));
        });
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            int thread = t;
            Thread running = new Thread(() -> {
                try {
                    for (int round = 0; round < ROUNDS && wrong.get().isEmpty(); round++) {
                        start.await(20, TimeUnit.SECONDS);
                        Core now = core.get();
                        for (int task = 0; task < TASKS; task++) {
                            now.hand(thread, task);
                        }
                        end.await(20, TimeUnit.SECONDS);
                    }
                } catch (Exception e) {
                    wrong.compareAndSet("", "a round broke: " + e);
                    start.reset();
                    end.reset();
                }
            });
            threads.add(running);
            running.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        return wrong.get();
    }

    private static void rethrow(Throwable thrown) {
        throw new IllegalStateException(thrown);
    }

    /** Plain fields, as a core has. */
    private static final class Core {
        private final Consumer<Runnable> owner;
        private final int[] last = new int[THREADS];
        private int runs;
        private boolean inside;
        private String violation = "";

        Core(Consumer<Runnable> owner) {
            this.owner = owner;
        }

        @SuppressWarnings("ThreadPriorityCheck") // a hint is all that is wanted
        void hand(int thread, int task) {
            owner.accept(() -> {
                if (inside) {
                    violation = "two tasks at a time";
                }
                inside = true;
                if (last[thread] != task) {
                    violation = "task " + task + " of thread " + thread + " after " + last[thread];
                }
                last[thread] = task + 1;
                runs++;
                // Others get their turn here, also where there are fewer cores than threads.
                Thread.yield();
                inside = false;
            });
        }

        String violation() {
            return !violation.isEmpty() ? violation : runs == THREADS * TASKS ? "" : runs + " tasks have run";
        }
    }

    /** SerialOwner with its one atomic step taken apart: two run at a time, or one is left behind. */
    private static final class LooksFirst {
        private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
        private final AtomicInteger running = new AtomicInteger();

        void run(Runnable task) {
            tasks.add(task);
            if (running.get() > 0) {
                return;
            }
            LockSupport.parkNanos(1);
            running.set(1);
            for (Runnable next = tasks.poll(); next != null; next = tasks.poll()) {
                next.run();
            }
            LockSupport.parkNanos(1);
            running.set(0);
        }
    }
}
