package org.amo.replication;

import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Bounds the replies that executions have made and the core has not taken yet: when they are too many, the thread that executes
 * waits for the core. It waits for a second at most, since the core may itself need that thread. Any thread.
 */
final class RepliesOnTheWay {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final SerialExecutor core;
    private final long mostBytes;

    // Guarded by this.
    private long bytes;

    /** @param mostBytes from so many on, {@link #handOver} waits */
    RepliesOnTheWay(SerialExecutor core, long mostBytes) {
        this.core = core;
        this.mostBytes = mostBytes;
    }

    /** @param task takes these replies, in the core */
    void handOver(List<byte[]> replies, Runnable task) {
        long own = replies.stream().mapToLong(reply -> reply.length).sum();
        add(own);
        core.run(() -> {
            try {
                task.run();
            } finally {
                add(-own);
            }
        });
        awaitRoom();
    }

    private synchronized void add(long more) {
        bytes += more;
        notifyAll();
    }

    private synchronized void awaitRoom() {
        long end = System.nanoTime() + PATIENCE_NANOS;
        try {
            for (long left = PATIENCE_NANOS; bytes > mostBytes && left > 0; left = end - System.nanoTime()) {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
        } catch (InterruptedException e) {
            // The member stops.
            Thread.currentThread().interrupt();
        }
    }
}
