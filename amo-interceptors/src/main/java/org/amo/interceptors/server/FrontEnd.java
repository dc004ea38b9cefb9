package org.amo.interceptors.server;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.base.DaemonThreads;
import org.amo.base.wire.MalformedFrameException;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.request.Answer;
import org.amo.interceptors.CapturedRequest;
import org.amo.interceptors.jacorb.ArrivedRequest;
import org.amo.interceptors.jacorb.ReplyPort;
import org.amo.interceptors.jacorb.RequestTaker;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The adaptor's side of the fast way in: takes requests of amo's clients in the threads that read their connections,
 * and answers them from the thread in which the group does.
 *
 * <p>Invariant: every request taken is answered once, at the latest {@link GroupObjectAdaptor#patience} after it came,
 * even if the group forgets it. A oneway's answer goes nowhere; until it is there the oneway counts against the limits.
 */
final class FrontEnd implements RequestTaker {
    private static final Logger LOG = LoggerFactory.getLogger(FrontEnd.class);

    /** Beyond it JacORB's own way, with its own limit, holds the clients back. */
    private static final int MOST_OUTSTANDING = 20_000;

    private static final long MOST_OUTSTANDING_BYTES =
            Math.min(64L << 20, Runtime.getRuntime().maxMemory() / 16);

    private static final Duration SWEEP = Duration.ofSeconds(1);

    private final GroupObjectAdaptor adaptor;
    private final Set<Call> outstanding = ConcurrentHashMap.newKeySet();
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicBoolean sweeping = new AtomicBoolean();
    private final ScheduledExecutorService sweeper =
            Executors.newSingleThreadScheduledExecutor(DaemonThreads.factory("amo-goa-sweeper"));

    FrontEnd(GroupObjectAdaptor adaptor) {
        this.adaptor = adaptor;
    }

    @Override
    public boolean take(ArrivedRequest arrived) {
        Optional<ReplicatedService> group = adaptor.replica();
        if (group.isEmpty() || isFull() || !adaptor.isOpenTo(arrived.objectKey())) {
            return false;
        }
        CallIdentity identity;
        try {
            identity = CallIdentity.of(arrived.contexts());
        } catch (MalformedFrameException e) {
            // Refused, and told, on the other way.
            return false;
        }
        if (identity.kind() == CallIdentity.Kind.ACKNOWLEDGEMENT || adaptor.waitsFor(identity)) {
            return false;
        }
        CapturedRequest captured = arrived.capture();
        Optional<byte[]> body = GroupObjectAdaptor.orderable(captured);
        if (body.isEmpty()) {
            return false;
        }
        long until = System.nanoTime() + adaptor.patience(identity).toNanos();
        Optional<ReplyPort> port = arrived.take();
        Call call = new Call(port, identity, captured.body().length, until);
        count.incrementAndGet();
        bytes.addAndGet(call.size);
        outstanding.add(call);
        sweep();
        try {
            adaptor.submit(
                    group.get(),
                    identity,
                    arrived.principal(),
                    captured.fingerprint(),
                    body.get(),
                    port.isEmpty(),
                    call);
        } catch (RuntimeException e) {
            LOG.error("cannot submit {}", captured.operation(), e);
            call.onAnswer(GroupObjectAdaptor.UNKNOWN);
        }
        return true;
    }

    private boolean isFull() {
        return count.get() >= MOST_OUTSTANDING || bytes.get() >= MOST_OUTSTANDING_BYTES;
    }

    private void sweep() {
        if (sweeping.compareAndSet(false, true)) {
            Future<?> unused = sweeper.scheduleWithFixedDelay(
                    this::answerTheForgotten, SWEEP.toMillis(), SWEEP.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private void answerTheForgotten() {
        long now = System.nanoTime();
        for (Call call : outstanding) {
            if (now - call.untilNanos > 0) {
                call.onAnswer(GroupObjectAdaptor.UNKNOWN);
            }
        }
    }

    void close() {
        sweeper.shutdownNow();
    }

    /** One request that was taken. */
    private final class Call implements ReplicatedService.AnswerListener {
        private final Optional<ReplyPort> port;
        private final CallIdentity identity;
        private final int size;
        private final long untilNanos;
        private final AtomicBoolean answered = new AtomicBoolean();

        Call(Optional<ReplyPort> port, CallIdentity identity, int size, long untilNanos) {
            this.port = port;
            this.identity = identity;
            this.size = size;
            this.untilNanos = untilNanos;
        }

        @Override
        public void onAnswer(Answer answer) {
            if (!answered.compareAndSet(false, true)) {
                return;
            }
            outstanding.remove(this);
            count.decrementAndGet();
            bytes.addAndGet(-size);
            try {
                port.ifPresent(to -> adaptor.reply(to, identity, answer));
            } catch (RuntimeException e) {
                // The listener of the group must not throw. The client hears nothing and asks again.
                LOG.error("cannot answer a request", e);
            }
        }
    }
}
