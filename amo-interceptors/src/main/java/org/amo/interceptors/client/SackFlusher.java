package org.amo.interceptors.client;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.amo.base.DaemonThreads;
import org.jspecify.annotations.Nullable;
import org.omg.CORBA.SystemException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the acknowledgements of a client that stopped calling, on a question that every object answers; by a datagram if the client has no
 * connection. One daemon
 * thread for each ORB; {@link CallWatch} bounds its requests as it does the application's.
 */
final class SackFlusher implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(SackFlusher.class);
    private static final long IDLE_MILLIS = 10_000;

    private final Set<ReplicatedGroup> due = ConcurrentHashMap.newKeySet();
    private final Semaphore work = new Semaphore(0);
    // One for each ORB: a flush of one ORB is none of another's.
    @SuppressWarnings("ThreadLocalUsage")
    private final ThreadLocal<ReplicatedGroup> flushing = new ThreadLocal<>();

    private @Nullable Thread thread;
    private volatile boolean closed;

    /** Once or more often. If there is no thread to be had, the next call tries again. */
    synchronized void start() {
        if (thread == null) {
            thread = DaemonThreads.start("amo-sack-flush", this);
        }
    }

    void flush(ReplicatedGroup group) {
        if (due.add(group)) {
            work.release();
        }
    }

    /** The group to flush: the calling thread's request is to carry its acknowledgements. */
    Optional<ReplicatedGroup> flushing() {
        return Optional.ofNullable(flushing.get());
    }

    void close() {
        closed = true;
        work.release();
    }

    @Override
    public void run() {
        while (!closed) {
            try {
                if (work.tryAcquire(IDLE_MILLIS, TimeUnit.MILLISECONDS)) {
                    due.forEach(group -> {
                        send(group);
                        due.remove(group);
                    });
                }
            } catch (InterruptedException end) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private void send(ReplicatedGroup group) {
        Optional<ReplicatedGroup.LastTarget> target = group.lastTarget();
        if (!closed && target.isPresent() && !group.acknowledgeByDatagram(Clock.nowMillis())) {
            flushing.set(group);
            try {
                target.get().object()._non_existent();
            } catch (SystemException lost) {
                // The interceptor has put the acknowledgements back.
                LOG.debug("amo client: flush failed", lost);
            } catch (RuntimeException | Error broken) {
                // It may come from an interceptor of the application, which JacORB asks before ours.
                group.flushFailed(Clock.nowMillis());
                FailedRound.tell(LOG, "amo client: acknowledgements could not be sent", broken);
            } finally {
                flushing.remove();
            }
        }
    }
}
