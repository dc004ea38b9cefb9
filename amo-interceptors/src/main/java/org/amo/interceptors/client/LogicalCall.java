package org.amo.interceptors.client;

import java.util.Optional;
import org.amo.core.client.AttemptWatch;
import org.amo.core.client.AttemptedCall;
import org.amo.core.client.AttemptedCall.Next;
import org.amo.core.client.AttemptedCall.ServerException;
import org.amo.core.client.Step;
import org.amo.core.request.Answer;
import org.amo.core.request.Refusal;
import org.amo.core.request.RequestId;
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
    private final boolean oneway;
    private final long endMillis;
    private final CallHistory history;
    private final Optional<AttemptedCall<Attempt>> core;
    private final AttemptWatch<Attempt> attempts;

    private boolean pseudoOver;
    private int redirects;
    private int triesOfPseudo;
    private @Nullable RequestId written;

    /** One send. The thread that sends also waits, unless the call is asynchronous. */
    static final class Attempt {
        final ClientRequestInfo info;
        final MemberAddress member;
        final Thread thread = Thread.currentThread();
        private volatile boolean superseded;

        Attempt(ClientRequestInfo info, MemberAddress member) {
            this.info = info;
            this.member = member;
        }

        /** Its thread has sent something else since. */
        void supersede() {
            superseded = true;
        }

        boolean isSuperseded() {
            return superseded;
        }
    }

    private LogicalCall(
            ReplicatedGroup group,
            ClientRequestInfo info,
            Object delegate,
            long endMillis,
            CallHistory history,
            Optional<AttemptedCall<Attempt>> core) {
        this.group = group;
        this.delegate = delegate;
        this.operation = info.operation();
        this.oneway = !info.response_expected();
        this.endMillis = endMillis;
        this.history = history;
        this.core = core;
        this.attempts = core.map(AttemptedCall::attempts).orElseGet(AttemptWatch::new);
    }

    /**
     * A call that gets a number.
     *
     * @param graceMillis how long an attempt that is under way at the call's end may still be answered: a refusal
     *     makes the difference between "not executed" and "unknown"
     */
    static LogicalCall begin(
            ReplicatedGroup group,
            ClientRequestInfo info,
            Object delegate,
            long timeoutMillis,
            long graceMillis,
            CallHistory history) {
        long now = Clock.nowMillis();
        synchronized (group) {
            AttemptedCall<Attempt> core = new AttemptedCall<>(
                    group.session(),
                    !info.response_expected(),
                    timeoutMillis,
                    graceMillis,
                    now,
                    System.currentTimeMillis());
            return new LogicalCall(group, info, delegate, core.endMillis(), history, Optional.of(core));
        }
    }

    /** An operation that every object has. */
    static LogicalCall pseudo(
            ReplicatedGroup group, ClientRequestInfo info, Object delegate, long timeoutMillis, CallHistory history) {
        return new LogicalCall(group, info, delegate, Clock.nowMillis() + timeoutMillis, history, Optional.empty());
    }

    ReplicatedGroup group() {
        return group;
    }

    boolean isPseudo() {
        return core.isEmpty();
    }

    boolean isOneway() {
        return oneway;
    }

    long endMillis() {
        return endMillis;
    }

    /**
     * Whether a request of this delegate and operation is another attempt of this call. JacORB leaves its context
     * behind when a stub fails while it marshals again; the next call of that thread would find it.
     */
    boolean isFor(Object ofDelegate, String ofOperation) {
        return delegate == ofDelegate && operation.equals(ofOperation);
    }

    boolean isAttempt(ClientRequestInfo info) {
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
            return ++triesOfPseudo < 2 * group.memberCount() && Clock.nowMillis() < endMillis;
        }
    }

    /** An attempt may leave now. */
    ReplicatedGroup.CopyContexts send(Attempt next, long attemptMillis) {
        long now = Clock.nowMillis();
        synchronized (group) {
            redirects = 0;
            writeInvoke();
            numbered().send(next, attemptMillis, now);
            return group.copy(numbered().number(), now);
        }
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

    /** A replica answered. */
    Next onAnswer(Answer answer) {
        long now = Clock.nowMillis();
        synchronized (group) {
            return numbered().onAnswer(answer, now, System.currentTimeMillis());
        }
    }

    /** The servant's reply or user exception came without an answer of a replica. */
    Next onPlainReply() {
        long now = Clock.nowMillis();
        synchronized (group) {
            return numbered().onPlainReply(now, System.currentTimeMillis());
        }
    }

    /** The server's ORB raised a system exception of its own. */
    Next onServerException(ServerException type) {
        long now = Clock.nowMillis();
        synchronized (group) {
            return numbered().onServerException(type, group.memberCount(), now, System.currentTimeMillis());
        }
    }

    /** The server names another object to ask. */
    Next onForwarded() {
        synchronized (group) {
            return numbered().onForwarded(Clock.nowMillis());
        }
    }

    /** No answer can come to the attempt. */
    Next onBroken(boolean left) {
        synchronized (group) {
            return numbered().onBroken(left, Clock.nowMillis());
        }
    }

    /** The client's own ORB refused to send. */
    Next onRefusedHere() {
        synchronized (group) {
            return numbered().onRefusedHere(Clock.nowMillis());
        }
    }

    /** The attempt ended without an interception point. */
    Next onVanished(boolean left) {
        synchronized (group) {
            return numbered().onVanished(left, Clock.nowMillis());
        }
    }

    /** The call ends here, before its time. */
    Step giveUp() {
        synchronized (group) {
            return numbered().giveUp();
        }
    }

    /** The application gets a reply. Returns whether this ended the call. */
    boolean replied() {
        synchronized (group) {
            if (!numbered().finish()) {
                return false;
            }
            history.ok(numbered().id());
            return true;
        }
    }

    /** The application gets the step's outcome as an exception. */
    void failed(Step step) {
        synchronized (group) {
            if (!numbered().finish()) {
                return;
            }
            if (step.kind() == Step.Kind.NOT_EXECUTED) {
                history.fail(numbered().id(), Outcomes.reason(step));
            } else {
                history.info(numbered().id(), Outcomes.reason(step));
            }
        }
    }

    /** The oneway is on its way, and the application goes on. */
    void onewaySent() {
        synchronized (group) {
            if (numbered().onewaySent()) {
                group.onewaySent(numbered().number());
                history.info(numbered().id(), "ONEWAY");
            }
        }
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
                if (core.isPresent()) {
                    failed(core.get().giveUp());
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

    private void writeInvoke() {
        if (!history.isOn()) {
            return;
        }
        RequestId id = numbered().id();
        if (!id.equals(written)) {
            if (written != null) {
                history.fail(
                        written, numbered().lastRefusal().map(Refusal::name).orElse("NO_MEMBER"));
            }
            written = id;
            history.invoke(id, operation);
        }
    }

    private AttemptedCall<Attempt> numbered() {
        return core.orElseThrow(() -> new IllegalStateException(operation + " has no number"));
    }
}
