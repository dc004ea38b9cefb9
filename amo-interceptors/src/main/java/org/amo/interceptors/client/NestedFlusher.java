package org.amo.interceptors.client;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.amo.base.DaemonThreads;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the acknowledgements of nested calls to a group that no operation has called since, as {@link SackFlusher} does for an ordinary
 * client. One daemon thread for each ORB looks; it starts with the first call of a group, and sleeps while nothing is to be acknowledged.
 * Other threads send, one a group, so that a group which does not answer delays no other.
 */
final class NestedFlusher implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(NestedFlusher.class);
    private static final long TICK_MILLIS = 100;
    private static final long IDLE_MILLIS = 10_000;
    private static final String THREAD = "amo-nested-flush";
    private static final String FAILED = "amo: acknowledgements of nested calls could not be sent";

    /** Groups beyond it wait for one of them, each at most for an attempt. */
    private static final int MOST_SENDERS = 16;

    private final NestedSender sender;

    /** The object last called of each group. */
    private final Map<ReplicatedGroup, Callee> callees = new ConcurrentHashMap<>();

    private final Set<ReplicatedGroup> flushing = ConcurrentHashMap.newKeySet();

    private final ThreadPoolExecutor senders = new ThreadPoolExecutor(
            MOST_SENDERS,
            MOST_SENDERS,
            IDLE_MILLIS,
            TimeUnit.MILLISECONDS,
            new LinkedBlockingQueue<>(),
            DaemonThreads.factory(THREAD),
            new ThreadPoolExecutor.DiscardPolicy());

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
        senders.allowCoreThreadTimeOut(true);
    }

    /** A call of this group has ended. */
    void finished(ReplicatedGroup group, Callee callee) {
        callees.put(group, callee);
        if (started.compareAndSet(false, true)) {
            DaemonThreads.start(THREAD, this);
        }
        parker.wake();
    }

    void close() {
        closed = true;
        senders.shutdown();
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
            } catch (InterruptedException end) {
                Thread.currentThread().interrupt();
                return;
            } catch (RuntimeException | Error e) {
                FailedRound.tell(LOG, FAILED, e);
                Clock.pause(IDLE_MILLIS);
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
            if (group.isFlushDue(now) && flushing.add(group)) {
                start(group, each.getValue());
            }
        }
    }

    private void start(ReplicatedGroup group, Callee callee) {
        boolean started = false;
        try {
            senders.execute(() -> flush(group, callee));
            started = true;
        } finally {
            if (!started) {
                flushing.remove(group);
            }
        }
    }

    private void flush(ReplicatedGroup group, Callee callee) {
        try {
            if (!closed) {
                sender.flush(group, callee);
            }
        } catch (RuntimeException | Error e) {
            FailedRound.tell(LOG, FAILED, e);
            group.flushFailed(Clock.nowMillis());
        } finally {
            flushing.remove(group);
        }
    }
}
