package org.amo.interceptors.client;

import java.util.Optional;
import org.amo.core.client.ClientCall;
import org.amo.core.client.ClientSession;
import org.amo.core.client.Step;
import org.amo.core.request.Answer;
import org.amo.core.request.Refusal;
import org.amo.core.request.RequestId;
import org.amo.interceptors.jacorb.MemberAddress;
import org.jspecify.annotations.Nullable;
import org.omg.PortableInterceptor.ClientRequestInfo;

/**
 * One call of the application, over all its attempts. JacORB's invocation context holds it, so that it is found again
 * by every re-send, told to the interceptor or not, and by no other call.
 *
 * <p>Guarded by the group's monitor. Operations that every object has ({@code _is_a} and so on) are calls without a
 * number: they are not ordered and may be repeated freely.
 */
final class LogicalCall {
    /** A call that no interception point ended is given up this long after its time: nothing is written for it by then. */
    private static final long ABANDON_MILLIS = 5_000;

    private static final long CHECK_MILLIS = 20;
    private static final long MAX_CHECK_MILLIS = 2_000;
    private static final long MAX_FRESH_PAUSE_MILLIS = 200;

    private final ReplicatedGroup group;
    private final Object delegate;
    private final String operation;
    private final boolean oneway;
    private final long endMillis;
    private final long graceMillis;
    private final CallHistory history;
    private final Optional<ClientCall> core;

    private @Nullable Attempt attempt;
    private boolean copyLost;
    private boolean over;
    private int redirects;
    private int triesOfPseudo;
    private int missing;
    private long freshPauseMillis;
    private @Nullable RequestId written;
    private Optional<Refusal> lastRefusal = Optional.empty();

    /** One send. The thread that sends also waits, unless the call is asynchronous. */
    static final class Attempt {
        final ClientRequestInfo info;
        final MemberAddress member;
        final Thread thread = Thread.currentThread();
        private long checkMillis;
        private long pauseMillis = CHECK_MILLIS;
        private boolean timedOut;
        private volatile boolean superseded;

        Attempt(ClientRequestInfo info, MemberAddress member, long attemptMillis, LogicalCall call) {
            this.info = info;
            this.member = member;
            this.checkMillis = Math.min(Clock.nowMillis() + attemptMillis, call.endMillis + call.graceMillis);
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
            long graceMillis,
            CallHistory history,
            Optional<ClientCall> core) {
        this.group = group;
        this.delegate = delegate;
        this.operation = info.operation();
        this.oneway = !info.response_expected();
        this.endMillis = endMillis;
        this.graceMillis = graceMillis;
        this.history = history;
        this.core = core;
    }

    /**
     * A call that gets a number.
     *
     * @param graceMillis how long an attempt that is under way at the call's end may still be answered: a refusal
     *     makes the difference between "not executed" and "nobody can tell"
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
            ClientSession session = group.session();
            ClientCall core = session.begin(!info.response_expected(), timeoutMillis, now, System.currentTimeMillis());
            return new LogicalCall(group, info, delegate, core.endMillis(), graceMillis, history, Optional.of(core));
        }
    }

    /** An operation that every object has. */
    static LogicalCall pseudo(
            ReplicatedGroup group, ClientRequestInfo info, Object delegate, long timeoutMillis, CallHistory history) {
        return new LogicalCall(group, info, delegate, Clock.nowMillis() + timeoutMillis, 0, history, Optional.empty());
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
            return attempt != null && attempt.info == info;
        }
    }

    boolean isOver() {
        synchronized (group) {
            return over;
        }
    }

    RequestId id() {
        synchronized (group) {
            return number().id();
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

    /**
     * Whether member after member says that it has no such object; a member that starts says so, too, for a moment.
     */
    boolean isMissingEverywhere() {
        synchronized (group) {
            return ++missing >= 2 * group.memberCount();
        }
    }

    /**
     * How long to wait before the next attempt. A new number after STALE goes out at once; if that is stale as well,
     * the group's time runs away from us, and asking faster does not help.
     */
    long pauseMillis(Step step) {
        synchronized (group) {
            long pause = Math.max(step.delayMillis(), freshPauseMillis);
            if (step.delayMillis() == 0) {
                freshPauseMillis = Math.min(MAX_FRESH_PAUSE_MILLIS, 2 * freshPauseMillis + 1);
            }
            return pause;
        }
    }

    /** A copy may leave now. */
    ReplicatedGroup.CopyContexts send(Attempt next) {
        synchronized (group) {
            redirects = 0;
            attempt = next;
            writeInvoke();
            return group.copy(number(), Clock.nowMillis());
        }
    }

    void sendPseudo(Attempt next) {
        synchronized (group) {
            redirects = 0;
            attempt = next;
        }
    }

    /** The member that the attempt under way was sent to, if one is. */
    Optional<Attempt> attempt() {
        synchronized (group) {
            return Optional.ofNullable(attempt);
        }
    }

    /** An attempt of an operation without a number ended. */
    void endAttempt() {
        synchronized (group) {
            attempt = null;
        }
    }

    Step onAnswer(Answer answer) {
        long now = Clock.nowMillis();
        synchronized (group) {
            attempt = null;
            answer.refusal().ifPresent(refusal -> lastRefusal = Optional.of(refusal));
            copyLost |= answer.kind() == Answer.Kind.UNKNOWN;
            return number().onAnswer(answer, now, System.currentTimeMillis());
        }
    }

    /** No answer can come to the copy that is out. */
    Step onLost() {
        synchronized (group) {
            attempt = null;
            copyLost = true;
            return number().onCopyLost(Clock.nowMillis());
        }
    }

    /** The copy did not leave, or came to an ORB that says that it got no further. */
    Step onNotSent() {
        synchronized (group) {
            attempt = null;
            group.session().onCarrierLost();
            return number().onNotSent(Clock.nowMillis());
        }
    }

    /** Whether a copy that was sent may have run for all that is known. */
    boolean mayHaveRun() {
        synchronized (group) {
            return copyLost;
        }
    }

    /** The call ends here, before its time. */
    Step giveUp() {
        synchronized (group) {
            return number().onDeadline();
        }
    }

    /** The application gets a reply. Returns whether this ended the call. */
    boolean replied() {
        synchronized (group) {
            if (!finish()) {
                return false;
            }
            history.ok(number().id());
            return true;
        }
    }

    /** The application gets an exception that says what the step says. */
    void failed(Step step) {
        synchronized (group) {
            if (!finish()) {
                return;
            }
            if (step.kind() == Step.Kind.NOT_EXECUTED) {
                history.fail(number().id(), Outcomes.reason(step));
            } else {
                history.info(number().id(), Outcomes.reason(step));
            }
        }
    }

    /** The oneway is on its way, and the application goes on. */
    void onewaySent() {
        synchronized (group) {
            if (!over) {
                over = true;
                attempt = null;
                group.onewaySent(number());
                history.info(number().id(), "ONEWAY");
            }
        }
    }

    /**
     * Gives up a call that nobody ended long after its time: asynchronous ones (JacORB tells interceptors nothing of
     * their replies) and those whose stub failed. Since {@link #isOver} forbids every further send, no copy of it can
     * leave any more.
     *
     * @return whether it is over
     */
    boolean abandonIfDue(long nowMillis) {
        synchronized (group) {
            if (!over && nowMillis >= endMillis + ABANDON_MILLIS) {
                if (core.isPresent()) {
                    failed(core.get().onDeadline());
                }
                over = true;
                attempt = null;
            }
            return over;
        }
    }

    /** The attempt under way, once it has taken its time and it is time to look after it (again). */
    Optional<Attempt> overdue(long nowMillis) {
        synchronized (group) {
            Attempt late = attempt;
            if (late == null || late.timedOut || nowMillis < late.checkMillis) {
                return Optional.empty();
            }
            late.checkMillis = nowMillis + late.pauseMillis;
            late.pauseMillis = Math.min(2 * late.pauseMillis, MAX_CHECK_MILLIS);
            return Optional.of(late);
        }
    }

    /** Claims the attempt for a time-out. False when it ended meanwhile. */
    boolean timesOut(Attempt late) {
        synchronized (group) {
            if (attempt != late || late.timedOut) {
                return false;
            }
            late.timedOut = true;
            return true;
        }
    }

    boolean timedOut() {
        synchronized (group) {
            return attempt != null && attempt.timedOut;
        }
    }

    private boolean finish() {
        if (over) {
            return false;
        }
        over = true;
        attempt = null;
        ClientCall call = number();
        call.onHandedOver();
        // A oneway ends here only when it never left or was answered.
        call.onOnewayPastDeadline();
        return true;
    }

    private void writeInvoke() {
        if (!history.isOn()) {
            return;
        }
        RequestId id = number().id();
        if (!id.equals(written)) {
            if (written != null) {
                history.fail(written, lastRefusal.map(Refusal::name).orElse("NO_MEMBER"));
            }
            written = id;
            history.invoke(id, operation);
        }
    }

    private ClientCall number() {
        return core.orElseThrow(() -> new IllegalStateException(operation + " has no number"));
    }
}
