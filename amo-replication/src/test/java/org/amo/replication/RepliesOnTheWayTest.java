package org.amo.replication;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RepliesOnTheWayTest {
    private final SerialExecutor core = new SerialExecutor(thrown -> {});
    private final RepliesOnTheWay replies = new RepliesOnTheWay(core, 1_000);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final AtomicInteger taken = new AtomicInteger();

    /** Occupies the core until {@link #goOn}. */
    private Thread busyCore() throws InterruptedException {
        CountDownLatch busy = new CountDownLatch(1);
        Thread thread = new Thread(() -> core.run(() -> {
            busy.countDown();
            awaitGoOn();
        }));
        thread.start();
        busy.await();
        return thread;
    }

    private void awaitGoOn() {
        try {
            goOn.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void handOver(int bytes) {
        replies.handOver(List.of(new byte[bytes / 2], new byte[bytes - bytes / 2]), taken::incrementAndGet);
    }

    @Test
    void whoExecutesWaitsForACoreThatLagsBehind() throws Exception {
        Thread busy = busyCore();
        Thread executes = new Thread(() -> handOver(1_001));
        executes.start();
        while (executes.getState() != Thread.State.TIMED_WAITING) {
            assertTrue(executes.isAlive(), "it did not wait");
            Thread.onSpinWait();
        }
        long began = System.nanoTime();
        goOn.countDown();
        executes.join();
        busy.join();
        assertEquals(1, taken.get());
        assertTrue(System.nanoTime() - began < TimeUnit.MILLISECONDS.toNanos(900), "it was not woken");
    }

    @Test
    void fewBytesDoNotWait() throws Exception {
        Thread busy = busyCore();
        long began = System.nanoTime();
        handOver(1_000);
        assertTrue(System.nanoTime() - began < TimeUnit.MILLISECONDS.toNanos(900), "it waited");
        assertEquals(0, taken.get());
        goOn.countDown();
        busy.join();
        assertEquals(1, taken.get());
    }

    /** The core may stand until that thread does something else. */
    @Test
    void itDoesNotWaitForEver() throws Exception {
        Thread busy = busyCore();
        handOver(5_000);
        assertEquals(0, taken.get());
        goOn.countDown();
        busy.join();
        assertEquals(1, taken.get());
    }

    @Test
    void aTaskThatThrowsHoldsNothing() {
        long began = System.nanoTime();
        replies.handOver(List.of(new byte[5_000]), () -> {
            throw new IllegalStateException("planted");
        });
        handOver(1_000);
        assertTrue(System.nanoTime() - began < TimeUnit.MILLISECONDS.toNanos(900), "it waited");
    }
}
