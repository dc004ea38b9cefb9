package org.amo.lab.attack;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.amo.base.DaemonThreads;

/** How long an attack lasts, and how fast it may be: every loop of an attack is bounded by it. Any thread. */
final class AttackRate {
    private static final long SECOND_NANOS = 1_000_000_000L;
    private static final long LARGEST_DEBT_NANOS = SECOND_NANOS / 5;

    private final long endNanos;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final AtomicLong steps = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();

    /** Over in so many milliseconds. */
    AttackRate(long millis) {
        this.endNanos = System.nanoTime() + millis * 1_000_000;
    }

    /** One step of an attack. */
    @FunctionalInterface
    interface Step {
        /** @throws IOException if the member refused it or closed the connection, which is no failure of the attack */
        void run(int index) throws IOException, InterruptedException;
    }

    /** Whether the attack is not over yet. */
    boolean goesOn() {
        return ended.getCount() > 0 && System.nanoTime() - endNanos < 0;
    }

    /** Ends the attack before its time. */
    void end() {
        ended.countDown();
    }

    /** Steps that were taken. */
    long steps() {
        return steps.get();
    }

    /** Steps that the member refused. */
    long refused() {
        return refused.get();
    }

    /** Waits until the attack is over. */
    void hold() throws InterruptedException {
        holdUntil(endNanos);
    }

    /** Waits for some time, but not beyond the end of the attack. */
    void hold(long millis) throws InterruptedException {
        long until = System.nanoTime() + millis * 1_000_000;
        holdUntil(until - endNanos < 0 ? until : endNanos);
    }

    private void holdUntil(long nanos) throws InterruptedException {
        boolean unused = ended.await(nanos - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    /** Takes steps one after the other, at most so many and so many a second, until all are taken or the attack is over. */
    void each(long most, double perSecond, Step step) throws InterruptedException {
        long interval = Math.max(1, (long) (SECOND_NANOS / perSecond));
        long next = System.nanoTime();
        for (int i = 0; i < most; i++) {
            holdUntil(next);
            if (!goesOn()) {
                return;
            }
            // Steps that a slow member delayed are not made up for in one burst.
            next = Math.max(next + interval, System.nanoTime() - LARGEST_DEBT_NANOS);
            take(step, i);
        }
    }

    /** The same on several threads, which share the bounds. Indexes are unique over all threads. */
    void crew(int threads, long most, double perSecond, Step step) throws InterruptedException {
        AtomicReference<RuntimeException> defect = new AtomicReference<>();
        List<Thread> crew = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            int first = t;
            Thread thread = DaemonThreads.start("amo-attack-" + t, () -> {
                try {
                    each(
                            most / threads + (first < most % threads ? 1 : 0),
                            perSecond / threads,
                            i -> step.run(i * threads + first));
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                } catch (RuntimeException e) {
                    defect.compareAndSet(null, e);
                }
            });
            crew.add(thread);
        }
        try {
            for (Thread thread : crew) {
                thread.join();
            }
        } finally {
            crew.forEach(Thread::interrupt);
        }
        RuntimeException found = defect.get();
        if (found != null) {
            throw found;
        }
    }

    private void take(Step step, int index) throws InterruptedException {
        steps.incrementAndGet();
        try {
            step.run(index);
        } catch (IOException e) {
            refused.incrementAndGet();
        }
    }
}
