package org.amo.interceptors.client;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.amo.base.DaemonThreads;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the acknowledgements of nested calls to a group that no operation has called since, as {@link SackFlusher} does for an ordinary
 * client. One daemon thread for each ORB; it starts with the first call of a group, and sleeps while nothing is to be acknowledged.
 */
final class NestedFlusher implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(NestedFlusher.class);
    private static final long TICK_MILLIS = 100;
    private static final long IDLE_MILLIS = 10_000;

    private final NestedSender sender;

    /** The object last called of each group. */
    private final Map<ReplicatedGroup, Callee> callees = new ConcurrentHashMap<>();

    private final Parker parker = new Parker();
    private final AtomicBoolean started = new AtomicBoolean();
    private volatile boolean closed;

    /**
     * An object of a group.
     *
     * @param text its reference as a string
     */
    record Callee(Object reference, String text, byte[] objectKey) {}

    NestedFlusher(NestedSender sender) {
        this.sender = sender;
    }

    /** A call of this group has ended. */
    void finished(ReplicatedGroup group, Callee callee) {
        callees.put(group, callee);
        if (started.compareAndSet(false, true)) {
            DaemonThreads.start("amo-nested-flush", this);
        }
        parker.wake();
    }

    void close() {
        closed = true;
        parker.wake();
    }

    @Override
    public void run() {
        while (!closed) {
            try {
                look();
                if (isIdle()) {
                    parker.sleep(() -> isIdle() && !closed, IDLE_MILLIS);
                } else {
                    TimeUnit.MILLISECONDS.sleep(TICK_MILLIS);
                }
            } catch (RuntimeException e) {
                LOG.warn("amo: acknowledgements of nested calls could not be sent", e);
                Clock.pause(IDLE_MILLIS);
            } catch (InterruptedException end) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private boolean isIdle() {
        return callees.keySet().stream().noneMatch(ReplicatedGroup::awaitsCarrier);
    }

    private void look() {
        for (Map.Entry<ReplicatedGroup, Callee> each : callees.entrySet()) {
            ReplicatedGroup group = each.getKey();
            long now = Clock.nowMillis();
            group.finishOneways(now);
            if (!closed && group.isFlushDue(now)) {
                sender.flush(group, each.getValue());
            }
        }
    }
}
