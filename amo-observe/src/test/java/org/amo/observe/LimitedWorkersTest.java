package org.amo.observe;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LimitedWorkersTest {
    @Test
    void whenAllAreBusyAndEnoughWaitATaskIsRefused() throws Exception {
        CountDownLatch busy = new CountDownLatch(LimitedWorkers.THREADS);
        CountDownLatch go = new CountDownLatch(1);
        AtomicInteger ran = new AtomicInteger();
        try (LimitedWorkers workers = new LimitedWorkers(60_000)) {
            for (int i = 0; i < LimitedWorkers.THREADS; i++) {
                workers.execute(() -> {
                    busy.countDown();
                    awaitQuietly(go);
                    ran.incrementAndGet();
                });
            }
            assertTrue(busy.await(20, TimeUnit.SECONDS));
            for (int i = 0; i < LimitedWorkers.MOST_WAITING; i++) {
                workers.execute(ran::incrementAndGet);
            }
            assertThrows(RejectedExecutionException.class, () -> workers.execute(ran::incrementAndGet));
            go.countDown();
            await().until(() -> ran.get() == LimitedWorkers.THREADS + LimitedWorkers.MOST_WAITING);
        }
    }

    @Test
    void aTaskThatTakesTooLongIsInterruptedAndTheNextOneIsNot() throws Exception {
        try (LimitedWorkers workers = new LimitedWorkers(200)) {
            for (int round = 0; round < 5; round++) {
                CompletableFuture<Boolean> late = new CompletableFuture<>();
                workers.execute(() -> late.complete(awaitQuietly(new CountDownLatch(1))));
                assertFalse(late.get(20, TimeUnit.SECONDS), "it waited to the end");
                for (int i = 0; i < 10; i++) {
                    CompletableFuture<Boolean> next = new CompletableFuture<>();
                    workers.execute(() -> next.complete(Thread.currentThread().isInterrupted()));
                    assertFalse(next.get(20, TimeUnit.SECONDS), "it began interrupted");
                }
            }
        }
    }

    @Test
    void itsThreadsEndWhenItIsClosedAlsoThatOfATaskThatWaits() throws Exception {
        CompletableFuture<Thread> worker = new CompletableFuture<>();
        LimitedWorkers workers = new LimitedWorkers(60_000);
        workers.execute(() -> {
            worker.complete(Thread.currentThread());
            awaitQuietly(new CountDownLatch(1));
        });
        Thread thread = worker.get(20, TimeUnit.SECONDS);
        assertTrue(thread.isDaemon());
        assertEquals("amo-observe", thread.getName());
        workers.close();
        await().until(() -> !thread.isAlive());
        assertThrows(RejectedExecutionException.class, () -> workers.execute(() -> {}));
    }

    /** Whether it was not interrupted. The interrupt stays, as a task that does not care leaves it. */
    private static boolean awaitQuietly(CountDownLatch latch) {
        try {
            return latch.await(50, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
