package org.amo.interceptors.client;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.amo.base.DaemonThreads;
import org.amo.interceptors.jacorb.JacorbClientAccess;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the open calls: ends attempts that get no answer in time, gives up calls that nothing ended, finishes
 * oneways, and wakes the flusher. One daemon thread for each ORB, asleep while there is nothing to watch.
 */
final class CallWatch implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(CallWatch.class);
    private static final long TICK_MILLIS = 20;

    private static final long IDLE_MILLIS = 1_000;

    private final Targets targets;
    private final SackFlusher flusher;

    private final Set<LogicalCall> open = ConcurrentHashMap.newKeySet();
    private final Parker doze = new Parker();
    private @Nullable Thread thread;
    private volatile boolean closed;

    CallWatch(Targets targets, SackFlusher flusher) {
        this.targets = targets;
        this.flusher = flusher;
    }

    /** Once or more often. If there is no thread to be had, the next call tries again. */
    synchronized void start() {
        if (thread == null) {
            thread = DaemonThreads.start("amo-call-watch", this);
        }
    }

    void add(LogicalCall call) {
        open.add(call);
        doze.wake();
    }

    void remove(LogicalCall call) {
        open.remove(call);
    }

    int openCalls() {
        return open.size();
    }

    /** It ends with the last open call: JacORB reads no connection any more that is made while its ORB ends. */
    void close() {
        closed = true;
        doze.wake();
    }

    @Override
    public void run() {
        while (!closed || !open.isEmpty()) {
            try {
                boolean busy = look(Clock.nowMillis());
                if (busy) {
                    TimeUnit.MILLISECONDS.sleep(TICK_MILLIS);
                } else {
                    doze.sleep(() -> open.isEmpty() && !closed, IDLE_MILLIS);
                }
            } catch (InterruptedException end) {
                Thread.currentThread().interrupt();
                return;
            } catch (RuntimeException | Error broken) {
                // Without this thread no call would be bounded any more: say it and go on.
                FailedRound.tell(LOG, "amo client: watching the calls failed", broken);
                Clock.pause(IDLE_MILLIS);
            }
        }
    }

    /** Returns whether there is anything to watch. */
    private boolean look(long now) {
        open.removeIf(call -> call.abandonIfDue(now));
        for (LogicalCall call : open) {
            call.overdue(now).ifPresent(late -> end(call, late, now));
        }
        boolean busy = !open.isEmpty();
        for (ReplicatedGroup group : targets.groups()) {
            group.finishOneways(now);
            if (group.needsFlush(now)) {
                flusher.flush(group);
            }
            busy |= group.hasUnsent() || group.hasOneways();
        }
        return busy;
    }

    /**
     * Only a thread that stands in JacORB and waits for this very attempt is told that it timed out: after an
     * asynchronous send its thread does something else, and JacORB would call the application's handler on ours.
     */
    private void end(LogicalCall call, LogicalCall.Attempt late, long now) {
        if (late.isSuperseded()) {
            return;
        }
        if (JacorbClientAccess.waitsForReply(late.thread)) {
            if (call.timesOut(late)) {
                JacorbClientAccess.timeOut(late.info);
                LOG.info("amo client: {} does not answer", late.member);
            }
        } else if (now >= call.endMillis() && JacorbClientAccess.writesRequest(late.thread) && !late.isBroken()) {
            // Not here, where all calls wait: the end of a connection that is still being made comes after its
            // beginning, and that of an SSL connection may wait for the peer.
            DaemonThreads.start("amo-call-break", () -> JacorbClientAccess.breakConnection(late.info));
            late.markBroken();
            LOG.info("amo client: {} does not read", late.member);
        }
    }
}
