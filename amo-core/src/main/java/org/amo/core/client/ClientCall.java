package org.amo.core.client;

import java.util.Optional;
import org.amo.core.request.Answer;
import org.amo.core.request.Budget;
import org.amo.core.request.Refusal;
import org.amo.core.request.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * One logical call of a client, from its first send to its outcome. Follows the rules of the client (docs/explanation/safety.md).
 *
 * <p>An <em>attempt</em> is a send that may have left the process. It is <em>out</em> while its answer may come,
 * <em>lost</em> once no answer can come (connection broken, attempt timed out), and <em>accounted</em> when a refusal said
 * that it did not run.
 *
 * <p>The outcome is NOT_EXECUTED only on EXPIRED, or when every attempt that may have left was answered by a refusal;
 * otherwise it is UNKNOWN, for ever. An id is never used again, and a new number follows only NOT_EXECUTED.
 *
 * <p>If an attempt may arrive again ({@link Delivery#MAY_REPEAT}), a refused attempt stays unaccounted, since its second
 * arrival may run: EXPIRED alone gives NOT_EXECUTED. So one more attempt is sent right after the deadline. Every member that
 * can order it answers it with the reply or with EXPIRED. One attempt that left as a datagram is enough for that: the rule then
 * holds for all attempts of its number.
 *
 * <p>If other processes may send attempts under the same id ({@link Identity}), no refusal accounts for them, and the id stays:
 * EXPIRED alone gives NOT_EXECUTED. The number is finished by the session that took it.
 *
 * <p>Guarded by the session's lock. Open for the simulator, which breaks its rules in subclasses.
 */
public class ClientCall {
    private static final long FIRST_BACKOFF_MILLIS = 5;
    private static final long MAX_BACKOFF_MILLIS = 200;

    /** While a share is used up: only other calls of the same party, or a minute, make room. */
    private static final long MAX_SHARE_BACKOFF_MILLIS = 2_000;

    private final ClientSession session;
    private final boolean oneway;
    private final long endMillis;

    /** The id, if other processes may send attempts under it; null if the session takes it. */
    private final @Nullable RequestId shared;

    private long number;
    private long timestampMillis;
    private long deadlineMillis;
    private int out;
    private int lost;

    /** An attempt of the present number left by a way that may deliver it again. */
    private boolean mayRepeat;

    private boolean sendNoMore;
    private boolean lastSent;
    private boolean decided;
    private boolean answered;
    private boolean finished;
    private int retries;
    private long backoffMillis = FIRST_BACKOFF_MILLIS;
    private Optional<Refusal> reason = Optional.empty();
    private Optional<Budget> budget = Optional.empty();

    /** One that has taken its first number; for {@link ClientSession#begin}. */
    protected ClientCall(ClientSession session, boolean oneway, long timeoutMillis, long nowMillis, long wallMillis) {
        this.session = session;
        this.oneway = oneway;
        this.endMillis = nowMillis + timeoutMillis;
        this.shared = null;
        takeNumber(nowMillis, wallMillis);
    }

    /** One under an id of another process, or of this one, under which other processes may send attempts. */
    ClientCall(ClientSession session, Identity identity, boolean oneway, long timeoutMillis, long nowMillis) {
        this.session = session;
        this.oneway = oneway;
        this.endMillis = nowMillis + timeoutMillis;
        this.shared = identity.id();
        this.number = identity.id().number();
        this.timestampMillis = identity.timestampMillis();
        this.deadlineMillis = identity.deadlineMillis();
    }

    /**
     * The common part of all attempts of a call, beside the body.
     *
     * @param id of the call
     * @param timestampMillis fixed when the number was taken
     * @param deadlineMillis in the time of the called group
     */
    public record Identity(RequestId id, long timestampMillis, long deadlineMillis) {}

    /** The present id, timestamp and deadline. */
    public Identity identity() {
        return new Identity(id(), timestampMillis, deadlineMillis);
    }

    /** The present id; a call that certainly did not run may take a new one. */
    public RequestId id() {
        return shared != null ? shared : RequestId.own(session.id(), number);
    }

    public long timestampMillis() {
        return timestampMillis;
    }

    /** In the group's time; carried by every attempt. */
    public long deadlineMillis() {
        return deadlineMillis;
    }

    /** When the caller's timeout ends, on the monotonic clock. */
    public long endMillis() {
        return endMillis;
    }

    /** An attempt may leave the process now. Call it before the bytes can get out. */
    public void onCopySent() {
        onCopySent(Delivery.AT_MOST_ONCE);
    }

    /** The same by a way of its own, which may deliver it more often than the session's. */
    void onCopySent(Delivery way) {
        out++;
        mayRepeat |= way == Delivery.MAY_REPEAT;
    }

    /** The attempt certainly did not leave (the connect was refused). */
    public Step onNotSent(long nowMillis) {
        out--;
        session.onCarrierLost();
        return sendNoMore ? waitOrGiveUp() : retry(nowMillis);
    }

    /** No answer to this attempt can come any more, yet it may have arrived. */
    public Step onCopyLost(long nowMillis) {
        out--;
        lost++;
        session.onCarrierLost();
        return sendNoMore ? waitOrGiveUp() : retry(nowMillis);
    }

    /** A member took the attempt and says, outside the order, that it got no further. */
    public Step onTurnedAway(long nowMillis) {
        return refusalAccounts() ? onNotSent(nowMillis) : onCopyLost(nowMillis);
    }

    /** The last refusal heard, if any. */
    Optional<Refusal> reason() {
        return reason;
    }

    /** Whether another attempt of the present number can help: none can after STALE or ID_REUSED. */
    boolean mayRetry() {
        return !sendNoMore;
    }

    /** Whether an attempt that is no longer out may have run, or may still run. */
    public boolean mayHaveRun() {
        return lost > 0;
    }

    /** The answer to one attempt. */
    public Step onAnswer(Answer answer, long nowMillis, long wallMillis) {
        out--;
        session.onGroupTime(answer.orderedTimeMillis(), answer.upperMillis(), nowMillis);
        if (decided) {
            return Step.WAIT;
        }
        return switch (answer.kind()) {
            case REPLY -> {
                answered = true;
                yield decide(Step.REPLY);
            }
            case UNKNOWN -> {
                lost++;
                yield sendNoMore ? waitOrGiveUp() : retry(nowMillis);
            }
            case REFUSED -> onRefused(answer.refusal().orElseThrow(), answer, nowMillis, wallMillis);
        };
    }

    /** The caller's time is up. */
    public Step onDeadline() {
        return decided ? Step.WAIT : giveUp();
    }

    /**
     * The outcome has been handed to the application: the number is finished. A oneway's is finished only at
     * {@link #onOnewayPastDeadline}, since nothing tells that it arrived.
     */
    public void onHandedOver() {
        if (!finished && !oneway && shared == null && (answered || isAbandonedFinished())) {
            finished = true;
            session.finish(number);
        }
    }

    /** Whether the number of a call counts as finished that ends without a reply. */
    boolean isAbandonedFinished() {
        return true;
    }

    /** Whether a call that was refused may run, since not all its attempts are accounted for. */
    boolean mayStillRun(int unaccounted) {
        return unaccounted > 0;
    }

    /** The group's time has certainly passed this oneway's deadline, or it never left. */
    public void onOnewayPastDeadline() {
        if (!finished && oneway && shared == null) {
            finished = true;
            session.finish(number);
        }
    }

    private Step onRefused(Refusal refusal, Answer answer, long nowMillis, long wallMillis) {
        reason = Optional.of(refusal);
        budget = answer.budget();
        switch (refusal) {
            case EXPIRED -> {
                // None ran and none will, so that lost attempts are accounted for, too. If none is out, a new number is
                // worth a try: the caller was not late, only our estimate of the group's time, which comes from a wall
                // clock or from the last answer of an idle group.
                return out > 0 || shared != null
                        ? decide(Step.notExecuted(reason, budget))
                        : renew(refusal, nowMillis, wallMillis);
            }
            case STALE, ID_REUSED -> sendNoMore = true;
            case TOO_EARLY -> session.onTooEarly(answer.orderedTimeMillis(), answer.upperMillis(), nowMillis);
            case OVERLOADED -> {}
        }
        if (!refusalAccounts()) {
            lost++;
        }
        if (mayStillRun(out + lost)) {
            return sendNoMore ? waitOrGiveUp() : retry(nowMillis);
        }
        return renew(refusal, nowMillis, wallMillis);
    }

    /**
     * Every attempt is accounted for: NOT_EXECUTED, so a new number is allowed. It is worth a try where another timestamp or
     * a wait can help.
     */
    private Step renew(Refusal refusal, long nowMillis, long wallMillis) {
        if (refusal == Refusal.ID_REUSED || nowMillis + backoffMillis >= endMillis) {
            return decide(Step.notExecuted(reason, budget));
        }
        if (isAbandonedFinished()) {
            session.finish(number);
        }
        out = 0;
        lost = 0;
        takeNumber(nowMillis, wallMillis);
        sendNoMore = false;
        return refusal == Refusal.STALE ? Step.sendAgain(0) : Step.sendAgain(backOff());
    }

    private Step retry(long nowMillis) {
        if (decided) {
            return Step.WAIT;
        }
        if (nowMillis + backoffMillis < endMillis) {
            return Step.sendAgain(backOff());
        }
        if (lost > 0 && !lastSent && !refusalAccounts()) {
            lastSent = true;
            return Step.sendAgain(Math.max(0, endMillis - nowMillis) + 1);
        }
        return waitOrGiveUp();
    }

    private Step waitOrGiveUp() {
        return decided || out > 0 ? Step.WAIT : giveUp();
    }

    private Step giveUp() {
        return decide(
                out + lost == 0 && shared == null ? Step.notExecuted(reason, budget) : Step.unknown(reason, budget));
    }

    /** Whether a refusal other than EXPIRED accounts for the attempt that it answers. */
    private boolean refusalAccounts() {
        return shared == null && !mayRepeat && session.refusalAccounts();
    }

    private Step decide(Step step) {
        decided = true;
        return step;
    }

    private void takeNumber(long nowMillis, long wallMillis) {
        number = session.takeNumber();
        mayRepeat = false;
        timestampMillis = session.stamp(nowMillis, wallMillis);
        deadlineMillis = timestampMillis + Math.max(1, endMillis - nowMillis);
    }

    private long backOff() {
        boolean share = budget.isPresent() && !budget.get().isLocal();
        long delay = Math.min(backoffMillis, share ? MAX_SHARE_BACKOFF_MILLIS : MAX_BACKOFF_MILLIS);
        backoffMillis = Math.min(2 * backoffMillis, MAX_SHARE_BACKOFF_MILLIS);
        return delay - session.jitter(number + retries++, delay / 2 + 1);
    }
}
