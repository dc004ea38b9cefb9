package org.amo.exon.udp;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.amo.exon.NodeId;

/**
 * Limits how many bytes wait or are under way to each node. Any thread may use it; senders wait here.
 *
 * <p>A full window opens when an eighth of it is free, for all senders alike: a sender that is woken for each message that
 * arrives, sends one more and waits again costs two switches of threads a message. Until then late senders wait, too, so
 * no sender is overtaken for ever.
 */
final class SendWindows {
    private final int limit;
    private final int opensAt;
    private final Map<NodeId, Window> windows = new HashMap<>();
    private int waiting;

    /** Of one node. Invariant: {@code bytes > 0}; nothing is remembered of a node without. */
    private static final class Window {
        private long bytes;
        private boolean full;
    }

    SendWindows(int limit) {
        this.limit = limit;
        this.opensAt = limit - limit / 8;
    }

    /**
     * Waits until there is room.
     *
     * @return false if there was none until the time was up
     */
    synchronized boolean acquire(NodeId node, int bytes, long deadlineNanos) throws InterruptedException {
        Window window = windows.get(node);
        while (window != null && (window.full || window.bytes + bytes > limit)) {
            window.full = true;
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
            window = windows.get(node);
        }
        if (bytes > 0) {
            windows.computeIfAbsent(node, name -> new Window()).bytes += bytes;
        }
        return true;
    }

    synchronized void release(NodeId node, int bytes) {
        Window window = windows.get(node);
        if (window == null) {
            return;
        }
        window.bytes -= bytes;
        if (window.bytes <= 0) {
            windows.remove(node);
        }
        if (waiting > 0 && (windows.isEmpty() || (window.full && window.bytes <= opensAt))) {
            notifyAll();
        }
        window.full &= window.bytes > opensAt;
    }

    /** Waits until nothing is pending. Returns whether that came before the time was up. */
    synchronized boolean awaitEmpty(long deadlineNanos) {
        while (!windows.isEmpty()) {
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
        return windows.values().stream().mapToLong(window -> window.bytes).sum();
    }
}
