package org.amo.core.client;

import java.util.Optional;
import org.amo.core.request.Answer;
import org.amo.core.request.Refusal;
import org.amo.core.request.RequestId;

/**
 * Decides after each attempt of a call whether to make another one, which member to avoid, and which outcome the application
 * gets. The call has one attempt under way at a time, as an ORB makes them: the ORB sends each attempt and reports its end.
 *
 * <p>{@link ClientCall} decides which outcome is certain enough to be reported. Guarded by the lock of its session. Nothing
 * survives a crash.
 *
 * @param <A> the shell's name for an attempt
 */
public final class AttemptedCall<A> {
    private static final long MAX_FRESH_PAUSE_MILLIS = 200;

    /** A servant's reply without our context: it tells nothing about the group's time. */
    private static final Answer PLAIN_REPLY = Answer.reply(new byte[0], 0, Answer.NO_BOUND);

    private final ClientCall call;
    private final long graceMillis;

    private final AttemptWatch<A> attempts = new AttemptWatch<>();
    private boolean over;
    private int missing;
    private long freshPauseMillis;
    private Optional<Refusal> lastRefusal = Optional.empty();

    /**
     * The next step after the end of an attempt.
     *
     * @param step REPLY: hand over the reply or the server's exception. SEND_AGAIN: after {@code delayMillis}. NOT_EXECUTED
     *     and UNKNOWN: the end of the call. Never WAIT
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
     * A call that takes a number.
     *
     * @param timeoutMillis how long the caller waits, at least 1
     * @param graceMillis how long after its end an attempt may still be answered: a refusal makes "not executed" of
     *     "unknown". 0 for a caller with a strict limit
     */
    public AttemptedCall(
            ClientSession session,
            boolean oneway,
            long timeoutMillis,
            long graceMillis,
            long nowMillis,
            long wallMillis) {
        this.call = session.begin(oneway, timeoutMillis, nowMillis, wallMillis);
        this.graceMillis = graceMillis;
    }

    /** The present number, timestamp and deadline; a call that certainly did not run may take new ones. */
    public ClientCall number() {
        return call;
    }

    public RequestId id() {
        return call.id();
    }

    /** The last refusal that any attempt heard. */
    public Optional<Refusal> lastRefusal() {
        return lastRefusal;
    }

    public long endMillis() {
        return call.endMillis();
    }

    /** Whether the application was told the outcome, or the call was abandoned: nothing may be sent for it any more. */
    public boolean isOver() {
        return over;
    }

    /** The attempt under way; to be asked only. */
    public AttemptWatch<A> attempts() {
        return attempts;
    }

    /** An attempt may leave now; it has {@code attemptMillis} to be answered. */
    public void send(A next, long attemptMillis, long nowMillis) {
        attempts.begin(next, Math.min(nowMillis + attemptMillis, endMillis() + graceMillis));
        call.onCopySent();
    }

    /** A replica answered the attempt. */
    public Next onAnswer(Answer answer, long nowMillis, long wallMillis) {
        attempts.end();
        answer.refusal().ifPresent(refusal -> lastRefusal = Optional.of(refusal));
        Step step = call.onAnswer(answer, nowMillis, wallMillis);
        // An ordered refusal is the same at every member; these may be this member's trouble alone.
        boolean leave =
                answer.kind() == Answer.Kind.UNKNOWN || answer.refusal().equals(Optional.of(Refusal.OVERLOADED));
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
        if (elsewhere || call.mayHaveRun()) {
            attempts.end();
            return next(call.onTurnedAway(nowMillis), true, nowMillis);
        }
        return onPlainReply(nowMillis, wallMillis);
    }

    /** The server says that another one has the object, which the ORB asks next. */
    public Next onForwarded(long nowMillis) {
        attempts.end();
        return next(call.onTurnedAway(nowMillis), true, nowMillis);
    }

    /** There is no connection, or none any more, or no reply came in time. */
    public Next onBroken(boolean left, long nowMillis) {
        attempts.end();
        return next(left ? call.onCopyLost(nowMillis) : call.onNotSent(nowMillis), true, nowMillis);
    }

    /**
     * The client's own ORB refused to send: no other attempt would fare better. UNKNOWN if an earlier one may have run,
     * otherwise NOT_EXECUTED.
     */
    public Next onRefusedHere(long nowMillis) {
        attempts.end();
        Step step = call.onNotSent(nowMillis);
        return new Next(step.kind() == Step.Kind.SEND_AGAIN ? call.onDeadline() : step, false);
    }

    /** The attempt ended without a word: its ORB already makes the next one, if this is SEND_AGAIN. */
    public Next onVanished(boolean left, long nowMillis) {
        attempts.end();
        return new Next(left ? call.onCopyLost(nowMillis) : call.onNotSent(nowMillis), false);
    }

    /** The call ends here, before its time; nothing is sent for it any more. */
    public Step giveUp() {
        return call.onDeadline();
    }

    /** The application has its outcome. Returns false when the call was over before. */
    public boolean finish() {
        if (over) {
            return false;
        }
        over = true;
        attempts.end();
        call.onHandedOver();
        // A oneway ends here only when it never left or was answered.
        call.onOnewayPastDeadline();
        return true;
    }

    /** The oneway is on its way; its number is finished past its deadline. Returns false when the call was over before. */
    public boolean onewaySent() {
        boolean first = !over;
        over = true;
        attempts.end();
        return first;
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
        long left = endMillis() - nowMillis;
        if (pause > left && step.delayMillis() <= left) {
            pause = Math.max(0, left);
        } else if (pause > left && graceMillis == 0) {
            return new Next(call.onDeadline(), leave);
        }
        return new Next(Step.sendAgain(pause), leave);
    }
}
