package org.amo.transport.exon;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.amo.core.exon.NodeId;

/** How many bytes wait or are under way to each node. Any thread may use it; senders wait here. */
final class SendWindows {
    private final int limit;
    private final Map<NodeId, Long> pending = new HashMap<>();
    private int waiting;

    SendWindows(int limit) {
        this.limit = limit;
    }

    /**
     * Waits until there is room.
     *
     * @return false if there was none until the time was up
     */
    synchronized boolean acquire(NodeId node, int bytes, long deadlineNanos) throws InterruptedException {
        while (pending.getOrDefault(node, 0L) + bytes > limit) {
            long left = deadlineNanos - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            waiting++;
            try {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            } finally {
                waiting--;
            }
        }
        pending.merge(node, (long) bytes, Long::sum);
        return true;
    }

    synchronized void release(NodeId node, int bytes) {
        pending.computeIfPresent(node, (key, held) -> held > bytes ? held - bytes : null);
        if (waiting > 0) {
            notifyAll();
        }
    }

    /** Waits until nothing is pending. Returns whether that came before the time was up. */
    synchronized boolean awaitEmpty(long deadlineNanos) {
        while (!pending.isEmpty()) {
            long left = deadlineNanos - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            waiting++;
            try {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            } finally {
                waiting--;
            }
        }
        return true;
    }

    synchronized long pending() {
        return pending.values().stream().mapToLong(Long::longValue).sum();
    }
}
