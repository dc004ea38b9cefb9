package org.amo.replication;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class IdleTimerTest {
    private static final long BOUND_SECONDS = 30;

    private final BlockingQueue<Long> told = new LinkedBlockingQueue<>();
    private final AtomicReference<IdleTimer> moment = new AtomicReference<>();

    @AfterEach
    void stop() {
        moment.get().stop();
    }

    @Test
    void itIsToldOnceForEachTimeItWasAskedFor() throws InterruptedException {
        moment.set(new IdleTimer("a", () -> told.add(System.nanoTime())));
        for (int i = 0; i < 20; i++) {
            moment.get().ask();
            assertNotEquals(null, next());
        }
        assertEquals(0, told.size());
    }

    @Test
    void notBeforeItHasBeenQuiet() throws InterruptedException {
        moment.set(new IdleTimer("a", () -> told.add(System.nanoTime())));
        for (int i = 0; i < 20; i++) {
            long asked = System.nanoTime();
            moment.get().ask();
            assertTrue(next() - asked >= IdleTimer.QUIET_NANOS, "from the question on");
        }
    }

    @Test
    void whatComesMeanwhilePutsItOffButNotForEver() throws InterruptedException {
        moment.set(new IdleTimer("a", () -> told.add(System.nanoTime())));
        long bound = System.nanoTime() + TimeUnit.SECONDS.toNanos(BOUND_SECONDS);
        boolean somethingCameAllTheTime = false;
        while (!somethingCameAllTheTime && System.nanoTime() < bound) {
            long asked = System.nanoTime();
            moment.get().ask();
            long last = asked;
            long longestGap = 0;
            Long heard = null;
            while (heard == null) {
                moment.get().came();
                heard = told.poll();
                long now = System.nanoTime();
                longestGap = Math.max(longestGap, now - last);
                last = now;
            }
            // A thread that was held up for so long let it be quiet.
            somethingCameAllTheTime = longestGap < IdleTimer.QUIET_NANOS / 2;
            // It may be late when the processor is busy, never early.
            long after = heard - asked;
            assertTrue(!somethingCameAllTheTime || after >= IdleTimer.LONGEST_NANOS, () -> "came after " + after);
        }
        assertTrue(somethingCameAllTheTime, "the processor never let this thread run for so long");
    }

    /** Else a replica whose copies began to wait at that moment would wait for its next tick. */
    @Test
    void whoAsksWhileItIsToldIsToldAgain() throws InterruptedException {
        AtomicInteger times = new AtomicInteger();
        moment.set(new IdleTimer("a", () -> {
            if (times.incrementAndGet() == 1) {
                moment.get().ask();
            }
            told.add(System.nanoTime());
        }));
        moment.get().ask();
        assertNotEquals(null, next());
        assertNotEquals(null, next());
        assertEquals(2, times.get());
    }

    private @Nullable Long next() throws InterruptedException {
        return told.poll(BOUND_SECONDS, TimeUnit.SECONDS);
    }
}
