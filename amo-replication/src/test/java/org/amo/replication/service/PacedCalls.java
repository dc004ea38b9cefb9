package org.amo.replication.service;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A hundred calls a second of one client, until they are ended. */
final class PacedCalls implements AutoCloseable {
    private static final long PERIOD_MILLIS = 10;
    private static final Duration LIMIT = Duration.ofSeconds(40);

    private final ScheduledExecutorService pace = Executors.newScheduledThreadPool(1);
    private final Queue<String> failed = new ConcurrentLinkedQueue<>();
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();

    void begin(AmoClient client) {
        ScheduledFuture<?> unused =
                pace.scheduleAtFixedRate(() -> call(client), 0, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void call(AmoClient client) {
        begun.incrementAndGet();
        client.callAsync(new byte[] {1}).whenComplete((reply, why) -> {
            if (why != null) {
                failed.add(why.toString());
            }
            ended.incrementAndGet();
        });
    }

    /** Waits until some more have ended. */
    void awaitMore() {
        int before = ended.get();
        await().atMost(LIMIT).until(() -> ended.get() > before + 10);
    }

    /** Waits for all, of which none may have failed, and returns their number. */
    int end() throws InterruptedException {
        pace.shutdown();
        assertTrue(pace.awaitTermination(20, TimeUnit.SECONDS));
        await().atMost(LIMIT).until(() -> ended.get() == begun.get());
        assertEquals(List.of(), List.copyOf(failed));
        return begun.get();
    }

    @Override
    public void close() {
        pace.shutdownNow();
    }
}
