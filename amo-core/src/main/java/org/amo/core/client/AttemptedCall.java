package org.amo.core.client;

import java.util.Optional;
import org.amo.core.request.Answer;
import org.amo.core.request.Refusal;
import org.amo.core.request.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * Decides after each attempt of a call whether to make another one, after which pause, which member to avoid, how long an
 * answer is awaited, and which outcome the application gets. The engine of both clients: {@link GroupClient} has any number of
 * attempts out at the same time; an ORB has one, since it sends each attempt and reports its end
 * (docs/decisions/0074-one-client-engine.md).
 *
 * <p>{@link ClientCall} decides which outcome is certain enough to be reported. Guarded by the lock of its session. Nothing
 * survives a crash.
 */
public final class AttemptedCall {
    /** A member that does not answer an attempt for that long is left. */
    public static final long ATTEMPT_MILLIS = 3_000;

    /** How long after its end a call waits for a refusal that makes "not executed" of "unknown". */
    public static final long GRACE_MILLIS = 500;

    private static final long MAX_FRESH_PAUSE_MILLIS = 200;

    /** A servant's reply without our context: it tells nothing about the group's time. */
    private static final Answer PLAIN_REPLY = Answer.reply(new byte[0], 0, Answer.NO_BOUND);

    private final ClientSession session;
    private final boolean oneway;
    private final long endMillis;
    private final long graceMillis;

    private @Nullable ClientCall call;
    private boolean over;
    private int missing;
    private long freshPauseMillis;

    /**
     * The next step after the end of an attempt.
     *
     * @param step REPLY: hand over the reply or the server's exception. SEND_AGAIN: after {@code delayMillis}. WAIT: only if
     *     another attempt is out. NOT_EXECUTED and UNKNOWN: the end of the call
     * @param leaveMember whether the member of that attempt should serve no longer
     */
    public record Next(Step step, boolean leaveMember) {}

    /** A system exception that came from a server's ORB and not from a replica: the request got no further. */
    public enum ServerException {
        /** The server starts or stops, or has no thread left. */
        NOT_ADMITTED,
        /** The server has no such object; one that starts says so, too, for a moment. */
        MISSING,
        /** Any other: the same at every member. */
        OTHER
    }

    /**
     * A call without a number.
     *
     * @param timeoutMillis how long the caller waits, at least 1
     * @param graceMillis how long after its end an attempt may still be answered. 0 for a caller with a strict limit
     */
    public AttemptedCall(ClientSession session, boolean oneway, long timeoutMillis, long graceMillis, long nowMillis) {
        if (timeoutMillis < 1) {
            throw new IllegalArgumentException("timeoutMillis must be positive: " + timeoutMillis);
        }
        this.session = session;
        this.oneway = oneway;
        this.endMillis = nowMillis + timeoutMillis;
        this.graceMillis = graceMillis;
    }

    /** A call under an identity that was taken earlier, perhaps by another process. */
    public AttemptedCall(
            ClientSession session,
            ClientCall.Identity identity,
            boolean oneway,
            long timeoutMillis,
            long graceMillis,
            long nowMillis) {
        this(session, oneway, timeoutMillis, graceMillis, nowMillis);
        this.call = session.beginAs(identity, oneway, timeoutMillis, nowMillis);
    }

    /**
     * Takes the first number, timestamp and deadline, unless it has them. The first send and the end of the call do so, too:
     * a call that waits for a connection gets its timestamp from the group's time as it is known by then.
     */
    public ClientCall takeNumber(long nowMillis, long wallMillis) {
        return number(nowMillis, wallMillis);
    }

    /** The present id; a call that certainly did not run may take a new one. */
    public RequestId id() {
        return taken().id();
    }

    /** The last refusal that any attempt heard. */
    public Optional<Refusal> lastRefusal() {
        ClientCall taken = call;
        return taken == null ? Optional.empty() : taken.reason();
    }

    /** When the caller's timeout ends. */
    public long endMillis() {
        return endMillis;
    }

    /** When the call ends at the latest: later if an answer may still make the difference. */
    public long limitMillis(boolean awaitsAnswer) {
        return awaitsAnswer ? endMillis + graceMillis : endMillis;
    }

    /** Whether the application was told the outcome, or the call was abandoned: nothing may be sent for it any more. */
    public boolean isOver() {
        return over;
    }

    /** Whether another attempt may leave while others are out. */
    boolean mayHedge() {
        return taken().mayRetry();
    }

    /** An attempt may leave now, with the number, timestamp and deadline of the result. */
    public ClientCall send(long nowMillis, long wallMillis) {
        return send(Delivery.AT_MOST_ONCE, nowMillis, wallMillis);
    }

    /** The same by a way of its own, which may deliver the attempt more often than the session's. */
    ClientCall send(Delivery way, long nowMillis, long wallMillis) {
        ClientCall sent = number(nowMillis, wallMillis);
        sent.onCopySent(way);
        return sent;
    }

    /** A replica answered an attempt. */
    public Next onAnswer(Answer answer, long nowMillis, long wallMillis) {
        Step step = taken().onAnswer(answer, nowMillis, wallMillis);
        // An ordered refusal is the same at every member; these may be this member's trouble alone.
        boolean leave = answer.kind() == Answer.Kind.UNKNOWN
                || answer.refusal()
                        .filter(refusal -> refusal == Refusal.OVERLOADED)
                        .isPresent();
        return next(step, leave, nowMillis);
    }

    /** The servant's result or user exception came without an answer of a replica. */
    public Next onPlainReply(long nowMillis, long wallMillis) {
        return onAnswer(PLAIN_REPLY, nowMillis, wallMillis);
    }

    /**
     * The server's ORB answered with a system exception of its own. It is the outcome, unless another member may say
     * something else, or an earlier attempt may have run: the exception says nothing about that one.
     *
     * @param memberCount so many members twice in vain, and an object is missing
     */
    public Next onServerException(ServerException type, int memberCount, long nowMillis, long wallMillis) {
        boolean elsewhere = type == ServerException.NOT_ADMITTED
                || (type == ServerException.MISSING && ++missing < 2 * memberCount);
        return elsewhere || taken().mayHaveRun() ? onForwarded(nowMillis) : onPlainReply(nowMillis, wallMillis);
    }

    /** The server says that another one has the object, which the ORB asks next. */
    public Next onForwarded(long nowMillis) {
        return next(taken().onTurnedAway(nowMillis), true, nowMillis);
    }

    /** There is no connection, or none any more, or no reply came in time. */
    public Next onBroken(boolean left, long nowMillis) {
        return next(ended(left, nowMillis), true, nowMillis);
    }

    /**
     * The client's own ORB refused to send: no other attempt would fare better. UNKNOWN if an earlier one may have run,
     * otherwise NOT_EXECUTED.
     */
    public Next onRefusedHere(long nowMillis) {
        Step step = ended(false, nowMillis);
        return new Next(step.kind() == Step.Kind.SEND_AGAIN ? taken().onDeadline() : step, false);
    }

    /** The attempt ended without a word: its ORB already makes the next one, if this is SEND_AGAIN. */
    public Next onVanished(boolean left, long nowMillis) {
        return new Next(ended(left, nowMillis), false);
    }

    /** The call ends here, at its limit or before; nothing is sent for it any more. */
    public Step giveUp(long nowMillis, long wallMillis) {
        return number(nowMillis, wallMillis).onDeadline();
    }

    /**
     * The application has its outcome. The number is finished, but that of a oneway that may still run: it is once its
     * deadline has passed.
     *
     * @param outcome UNKNOWN for a oneway that is on its way, too
     * @return false when the call was over before
     */
    public boolean finish(Step.Kind outcome) {
        if (over) {
            return false;
        }
        over = true;
        if (oneway && outcome == Step.Kind.UNKNOWN) {
            session.onewayLeft(taken());
        } else {
            taken().onHandedOver();
            taken().onOnewayPastDeadline();
        }
        return true;
    }

    private Step ended(boolean left, long nowMillis) {
        return left ? taken().onCopyLost(nowMillis) : taken().onNotSent(nowMillis);
    }

    private Next next(Step step, boolean leave, long nowMillis) {
        if (step.kind() != Step.Kind.SEND_AGAIN) {
            return new Next(step, leave);
        }
        // A new number after STALE goes out at once; if that is stale as well, the group's time runs away from us, and
        // asking faster does not help.
        long pause = Math.max(step.delayMillis(), freshPauseMillis);
        if (step.delayMillis() == 0) {
            freshPauseMillis = Math.min(MAX_FRESH_PAUSE_MILLIS, 2 * freshPauseMillis + 1);
        }
        long left = endMillis - nowMillis;
        if (pause > left && step.delayMillis() <= left) {
            pause = Math.max(0, left);
        } else if (pause > left && graceMillis == 0) {
            return new Next(taken().onDeadline(), leave);
        }
        return new Next(Step.sendAgain(pause), leave);
    }

    private ClientCall number(long nowMillis, long wallMillis) {
        ClientCall taken = call;
        if (taken == null) {
            taken = session.begin(oneway, Math.max(1, endMillis - nowMillis), nowMillis, wallMillis);
            call = taken;
        }
        return taken;
    }

    private ClientCall taken() {
        ClientCall taken = call;
        if (taken == null) {
            throw new IllegalStateException("this call has no number");
        }
        return taken;
    }
}
