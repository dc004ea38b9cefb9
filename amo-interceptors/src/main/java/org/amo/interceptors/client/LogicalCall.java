package org.amo.interceptors.client;

import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.amo.core.client.AttemptWatch;
import org.amo.core.client.AttemptedCall;
import org.amo.core.client.AwaitedDatagram;
import org.amo.core.client.Step;
import org.amo.core.request.Refusal;
import org.amo.core.request.RequestId;
import org.amo.interceptors.NestedReply;
import org.amo.interceptors.jacorb.MemberAddress;
import org.jspecify.annotations.Nullable;
import org.omg.PortableInterceptor.ClientRequestInfo;

/**
 * One call of the application, over all its attempts. JacORB's invocation context holds it, so that it is found again
 * by every re-send, told to the interceptor or not, and by no other call. {@link AttemptedCall} decides the next step
 * when an attempt ends.
 *
 * <p>Guarded by the group's monitor. Operations that every object has ({@code _is_a} and so on) are calls without a
 * number: they are not ordered and may be repeated freely.
 */
final class LogicalCall {
    /** A call that no interception point ended is given up this long after its time: nothing is written for it by then. */
    private static final long ABANDON_MILLIS = 5_000;

    private final ReplicatedGroup group;
    private final Object delegate;
    private final String operation;
    private final long endMillis;
    private final long replyEndMillis;
    private final long sendEndMillis;
    private final CallHistory history;
    private final Optional<AttemptedCall> core;
    private final AttemptWatch<Attempt> attempts = new AttemptWatch<>();

    private boolean pseudoOver;
    private int redirects;
    private boolean retried;
    private int triesOfPseudo;
    private @Nullable RequestId written;
    private @Nullable Object reference;

    // Of the calling thread.
    private @Nullable NestedReply replyByDatagram;
    private @Nullable ClientRequestInfo handedIn;

    /** One send. The thread that sends also waits, unless the call is asynchronous. */
    static final class Attempt {
        final ClientRequestInfo info;
        final MemberAddress member;
        final Thread thread = Thread.currentThread();
        private final BooleanSupplier left;
        private volatile boolean superseded;
        private boolean broken;

        /** @param left whether a byte of it may have left the process. Asked by the sending thread */
        Attempt(ClientRequestInfo info, MemberAddress member, BooleanSupplier left) {
            this.info = info;
            this.member = member;
            this.left = left;
        }

        boolean hasLeft() {
            return left.getAsBoolean();
        }

        /** Its thread has sent something else since. */
        void supersede() {
            superseded = true;
        }

        boolean isSuperseded() {
            return superseded;
        }

        /** Whether its connection was broken. The thread of the watch. */
        boolean isBroken() {
            return broken;
        }

        /** A thread breaks its connection: one is enough. */
        void markBroken() {
            broken = true;
        }
    }

    /** One of the core's inputs: an attempt ended, or the call does. */
    interface Input<T> {
        T into(AttemptedCall core, long nowMillis, long wallMillis);
    }

    private LogicalCall(
            ReplicatedGroup group,
            ClientRequestInfo info,
            Object delegate,
            long beginMillis,
            CallLimits limits,
            CallHistory history,
            Optional<AttemptedCall> core) {
        this.group = group;
        this.delegate = delegate;
        this.operation = info.operation();
        this.endMillis = beginMillis + limits.timeoutMillis();
        this.replyEndMillis = beginMillis + limits.replyMillis();
        this.sendEndMillis = beginMillis + limits.sendMillis();
        this.history = history;
        this.core = core;
    }

    /** A call that gets a number. */
    static LogicalCall begin(
            ReplicatedGroup group, ClientRequestInfo info, Object delegate, CallLimits limits, CallHistory history) {
        long now = Clock.nowMillis();
        boolean oneway = !info.response_expected();
        AttemptedCall core =
                new AttemptedCall(group.session(), oneway, limits.timeoutMillis(), limits.graceMillis(), now);
        synchronized (group) {
            // The ORB sends at once: its first attempt carries the whole timeout as its deadline.
            core.takeNumber(now, System.currentTimeMillis());
        }
        return new LogicalCall(group, info, delegate, now, limits, history, Optional.of(core));
    }

    /** An operation that every object has. */
    static LogicalCall pseudo(
            ReplicatedGroup group, ClientRequestInfo info, Object delegate, CallLimits limits, CallHistory history) {
        return new LogicalCall(group, info, delegate, Clock.nowMillis(), limits, history, Optional.empty());
    }

    ReplicatedGroup group() {
        return group;
    }

    boolean isPseudo() {
        return core.isEmpty();
    }

    long endMillis() {
        return endMillis;
    }

    /** An attempt goes to this reference of the group. JacORB's delegate can lose it, if a plain one was forwarded to it. */
    void reference(Object ofGroup) {
        synchronized (group) {
            reference = ofGroup;
        }
    }

    /** The reference of the group that the last attempt went to. */
    Object reference() {
        synchronized (group) {
            return Objects.requireNonNull(reference);
        }
    }

    /**
     * Whether a request of this delegate and operation is another attempt of this call. JacORB leaves its context
     * behind when a stub fails while it marshals again; the next call of that thread would find it.
     */
    boolean isFor(Object ofDelegate, String ofOperation) {
        return delegate == ofDelegate && operation.equals(ofOperation);
    }

    boolean isAttempt(ClientRequestInfo info) {
        if (isHandedIn(info)) {
            return true;
        }
        synchronized (group) {
            return attempts.current().filter(attempt -> attempt.info == info).isPresent();
        }
    }

    boolean isOver() {
        synchronized (group) {
            return core.map(AttemptedCall::isOver).orElse(pseudoOver);
        }
    }

    RequestId id() {
        synchronized (group) {
            return numbered().id();
        }
    }

    /** Each attempt may be sent to another member once before it leaves; more would go round in circles. */
    boolean mayRedirect() {
        synchronized (group) {
            return redirects++ < 1;
        }
    }

    /** How often an operation without a number was tried. */
    boolean mayRepeat() {
        synchronized (group) {
            return ++triesOfPseudo < 2 * group.memberCount() && Clock.nowMillis() < Math.min(endMillis, sendEndMillis);
        }
    }

    /** Whether the application still lets a request leave. */
    boolean maySend(long nowMillis) {
        return nowMillis < sendEndMillis;
    }

    /** The ORB makes another attempt. */
    void retry() {
        synchronized (group) {
            retried = true;
        }
    }

    /** The time that the application's own limit leaves for a retry; empty for the first attempt, which the ORB limits. */
    OptionalLong leftOfRetry(long nowMillis) {
        synchronized (group) {
            return retried ? OptionalLong.of(replyEndMillis - nowMillis) : OptionalLong.empty();
        }
    }

    /** An attempt may leave now. */
    ReplicatedGroup.CopyContexts send(Attempt next, long attemptMillis) {
        return numbered((call, now, wall) -> {
            redirects = 0;
            writeInvoke(call);
            attempts.begin(next, Math.min(now + attemptMillis, call.limitMillis(true)));
            return group.copy(call.send(now, wall), now);
        });
    }

    /** An attempt may leave now as a datagram, which this thread sends. */
    AwaitedDatagram sendDatagram(byte[] body, long attemptMillis) {
        return numbered((call, now, wall) -> {
            redirects = 0;
            writeInvoke(call);
            return new AwaitedDatagram(group.session(), call, body, attemptMillis, now, wall);
        });
    }

    /** Its reply has come by a datagram, and JacORB is to take it. The calling thread. */
    void repliedByDatagram(NestedReply reply) {
        replyByDatagram = reply;
    }

    /** The reply that came by a datagram, if one did. The calling thread. */
    Optional<NestedReply> replyByDatagram() {
        return Optional.ofNullable(replyByDatagram);
    }

    /** JacORB takes the reply as that to this request. The calling thread. */
    void handIn(ClientRequestInfo info) {
        handedIn = info;
    }

    /** The request to which JacORB takes the reply that came by a datagram, once it does. The calling thread. */
    Optional<ClientRequestInfo> handedIn() {
        return Optional.ofNullable(handedIn);
    }

    boolean isHandedIn(ClientRequestInfo info) {
        return handedIn == info;
    }

    void sendPseudo(Attempt next, long attemptMillis) {
        synchronized (group) {
            redirects = 0;
            attempts.begin(next, Math.min(Clock.nowMillis() + attemptMillis, endMillis));
        }
    }

    /** The attempt under way, if one is. */
    Optional<Attempt> attempt() {
        synchronized (group) {
            return attempts.current();
        }
    }

    /** An attempt of an operation without a number ended. */
    void endAttempt() {
        synchronized (group) {
            attempts.end();
        }
    }

    /** The attempt under way ended: what follows. */
    <T> T ended(Input<T> how) {
        return numbered((call, now, wall) -> {
            attempts.end();
            return how.into(call, now, wall);
        });
    }

    /** The call ends here, before its time. */
    Step giveUp() {
        return numbered(AttemptedCall::giveUp);
    }

    /** The application gets a reply. */
    void replied() {
        finish(Step.Kind.REPLY, history::ok);
    }

    /** The application gets the step's outcome as an exception. */
    void failed(Step step) {
        boolean certain = step.kind() == Step.Kind.NOT_EXECUTED;
        String reason = Outcomes.reason(step);
        finish(step.kind(), id -> {
            if (certain) {
                history.fail(id, reason);
            } else {
                history.info(id, reason);
            }
        });
    }

    /** The oneway is on its way, and the application goes on. */
    void onewaySent() {
        finish(Step.Kind.UNKNOWN, id -> history.info(id, "ONEWAY"));
    }

    private void finish(Step.Kind outcome, Consumer<RequestId> write) {
        Optional<RequestId> id =
                ended((call, now, wall) -> call.finish(outcome) ? Optional.of(call.id()) : Optional.empty());
        id.ifPresent(write);
    }

    /**
     * Gives up a call that nothing ended long after its time: asynchronous ones (JacORB tells interceptors nothing of
     * their replies) and those with a failed stub. Since {@link #isOver} forbids every further send, no attempt of it
     * can leave any more.
     *
     * @return whether it is over
     */
    boolean abandonIfDue(long nowMillis) {
        synchronized (group) {
            if (!isOver() && nowMillis >= endMillis + ABANDON_MILLIS) {
                if (!isPseudo()) {
                    failed(giveUp());
                }
                pseudoOver = true;
                attempts.end();
            }
            return isOver();
        }
    }

    /** The attempt under way, once it has taken its time and it is time to look after it (again). */
    Optional<Attempt> overdue(long nowMillis) {
        synchronized (group) {
            return attempts.overdue(nowMillis);
        }
    }

    /** Claims the attempt for a time-out. False when it ended meanwhile. */
    boolean timesOut(Attempt late) {
        synchronized (group) {
            return attempts.timesOut(late);
        }
    }

    boolean timedOut() {
        synchronized (group) {
            return attempts.timedOut();
        }
    }

    private void writeInvoke(AttemptedCall call) {
        RequestId id = call.id();
        if (history.isOn() && !id.equals(written)) {
            if (written != null) {
                history.fail(written, call.lastRefusal().map(Refusal::name).orElse("NO_MEMBER"));
            }
            written = id;
            history.invoke(id, operation);
        }
    }

    private <T> T numbered(Input<T> input) {
        long now = Clock.nowMillis();
        synchronized (group) {
            return input.into(numbered(), now, System.currentTimeMillis());
        }
    }

    private AttemptedCall numbered() {
        return core.orElseThrow(() -> new IllegalStateException(operation + " has no number"));
    }
}
