package org.amo.core.client;

import java.util.ArrayDeque;
import java.util.function.LongConsumer;
import org.amo.base.ClientId;
import org.amo.core.request.Answer;
import org.amo.core.sack.FinishedNumbers;
import org.amo.core.sack.NumberRanges;

/**
 * Holds the state of one client process for one group: its next number, its estimate of the group's time, its finished
 * numbers, and the time at which acknowledgements leave alone. Threads of the process share it; the shell guards it and its
 * calls with one lock.
 *
 * <p>Time: {@code nowMillis} is a monotonic clock, {@code wallMillis} the wall clock, asked only until the group's first
 * answer.
 *
 * <p>Nothing here survives a crash, and need not: a restarted client draws a new {@link ClientId}. A shell that notes calls on disk
 * hears of each number before its acknowledgement can leave. Open for the simulator, which breaks the rules of its calls in
 * subclasses.
 */
public class ClientSession {
    /** Acknowledgements wait that long for a request to ride on. */
    private static final long FLUSH_MILLIS = 1_000;

    /** If acknowledgements do not arrive, the next ones follow after at most this pause. */
    private static final long MAX_FLUSH_MILLIS = 10_000;

    /** A oneway's deadline has passed for every member when the group's clock may differ from ours by the skew. */
    private static final long SKEW_MILLIS = 2_000;

    private final ClientId id;
    private final Delivery delivery;
    private final LongConsumer onFinished;

    /** Finished numbers. Never loses one. */
    private final NumberRanges finished = new NumberRanges();

    /** Oneways that may still run, by the end of their deadlines; nearly sorted, since deadlines differ. */
    private final ArrayDeque<ClientCall> oneways = new ArrayDeque<>();

    private long nextNumber = 1;
    private boolean timeKnown;
    private long orderedTimeHeard;
    private long heardAtMillis;
    private long upperHeard = Answer.NO_BOUND;
    private long finishedVersion;
    private long sentVersion;
    private int rotation;
    private long carrierAtMillis;
    private long flushMillis = FLUSH_MILLIS;

    /** Over ways that deliver each attempt at most once. */
    public ClientSession(ClientId id) {
        this(id, Delivery.AT_MOST_ONCE);
    }

    /** @param delivery of all ways to the members: MAY_REPEAT if one of them may */
    public ClientSession(ClientId id, Delivery delivery) {
        this(id, delivery, number -> {});
    }

    /**
     * @param delivery of all ways to the members: MAY_REPEAT if one of them may
     * @param onFinished told each number that is finished, before its acknowledgement can leave. It must not call back
     */
    public ClientSession(ClientId id, Delivery delivery, LongConsumer onFinished) {
        this.id = id;
        this.delivery = delivery;
        this.onFinished = onFinished;
    }

    public ClientId id() {
        return id;
    }

    /** Less than the bound, and other for each client and salt: so that refused clients do not come back together. */
    long jitter(long salt, long bound) {
        long mixed = (id.low() ^ id.high() + salt) * 0x9E3779B97F4A7C15L;
        return Long.remainderUnsigned(mixed ^ mixed >>> 32, bound);
    }

    /**
     * A new logical call.
     *
     * @param oneway no answer is awaited
     * @param timeoutMillis how long the caller waits; the deadline that its attempts carry follows from it
     */
    public ClientCall begin(boolean oneway, long timeoutMillis, long nowMillis, long wallMillis) {
        if (timeoutMillis < 1) {
            throw new IllegalArgumentException("timeoutMillis must be positive: " + timeoutMillis);
        }
        return new ClientCall(this, oneway, timeoutMillis, nowMillis, wallMillis);
    }

    /** A call under an identity that was taken earlier, perhaps by another process, which may send it, too. */
    ClientCall beginAs(ClientCall.Identity identity, boolean oneway, long timeoutMillis, long nowMillis) {
        return new ClientCall(this, identity, oneway, timeoutMillis, nowMillis);
    }

    /** Every answer tells the group's time; {@link ClientCall#onAnswer} calls this itself. */
    public void onGroupTime(long orderedTimeMillis, long upperMillis, long nowMillis) {
        upperHeard = Math.max(upperHeard, upperMillis);
        // The largest orderedTime heard, carried on by the local monotonic clock, is the estimate. A smaller
        // answer that is merely older must not set it back.
        if (orderedTimeMillis > 0 && (!timeKnown || orderedTimeMillis > estimate(nowMillis, 0))) {
            setEstimate(orderedTimeMillis, nowMillis);
        }
    }

    /**
     * The acknowledgements to attach to the next request or flush: the floor and as many ranges as fit. When
     * there are more, each call returns the next part.
     */
    public FinishedNumbers finishedToSend() {
        sentVersion = finishedVersion;
        FinishedNumbers part = finished.toFinished(rotation, FinishedNumbers.MAX_RANGES);
        rotation = finished.rangeCount() > FinishedNumbers.MAX_RANGES
                ? (rotation + part.rangeCount()) % finished.rangeCount()
                : 0;
        return part;
    }

    /** The acknowledgements of a request or flush that leaves now. */
    public FinishedNumbers carry(long nowMillis) {
        carrierAtMillis = nowMillis;
        return finishedToSend();
    }

    /** Whether a number was finished since the acknowledgements were last taken. */
    public boolean hasUnsentFinished() {
        return finishedVersion != sentVersion;
    }

    /** The carrier of the last acknowledgements was lost: they count as unsent again. */
    public void onCarrierLost() {
        sentVersion = -1;
    }

    /** When acknowledgements are to leave without a request; {@code Long.MAX_VALUE} if none wait. */
    public long flushAtMillis() {
        return hasUnsentFinished() ? carrierAtMillis + flushMillis : Long.MAX_VALUE;
    }

    /** Acknowledgements find their way: the next ones wait no longer than usual. */
    public void onFlushed() {
        flushMillis = FLUSH_MILLIS;
    }

    /** Acknowledgements alone came to nothing: the next ones wait longer. */
    public void onFlushFailed(long nowMillis) {
        carrierAtMillis = nowMillis;
        flushMillis = Math.min(2 * flushMillis, MAX_FLUSH_MILLIS);
        onCarrierLost();
    }

    /** No answer will tell whether this oneway runs: its number is finished once its deadline has passed everywhere. */
    void onewayLeft(ClientCall oneway) {
        oneways.add(oneway);
    }

    /** Finishes the numbers of the oneways with a past deadline. */
    public void finishOneways(long nowMillis) {
        while (nowMillis >= onewayAtMillis()) {
            oneways.remove().onOnewayPastDeadline();
        }
    }

    /** When {@link #finishOneways} has the next one to finish; {@code Long.MAX_VALUE} if none wait. */
    public long onewayAtMillis() {
        ClientCall next = oneways.peek();
        return next == null ? Long.MAX_VALUE : next.endMillis() + SKEW_MILLIS;
    }

    /** Numbers handed out so far. */
    public long numbersUsed() {
        return nextNumber - 1;
    }

    /** Ranges above the floor that this client carries; stays near the number of calls in flight. */
    public int finishedRanges() {
        return finished.rangeCount();
    }

    /** Whether a refusal other than EXPIRED accounts for the attempt that it answers. */
    boolean refusalAccounts() {
        return delivery == Delivery.AT_MOST_ONCE;
    }

    long takeNumber() {
        return nextNumber++;
    }

    void finish(long number) {
        onFinished.accept(number);
        finished.add(number, number);
        finishedVersion++;
    }

    /** max(upper + 1, largest orderedTime heard + monotonic time since), the wall clock only before the first answer. */
    public long stamp(long nowMillis, long wallMillis) {
        long estimate = estimate(nowMillis, wallMillis);
        return upperHeard == Answer.NO_BOUND ? estimate : Math.max(upperHeard + 1, estimate);
    }

    /**
     * TOO_EARLY: the estimate is ahead of the group. So may the bound be, if both come from a state that the group has lost.
     * A bound that is too low costs one STALE.
     */
    void onTooEarly(long orderedTimeMillis, long upperMillis, long nowMillis) {
        if (orderedTimeMillis > 0) {
            setEstimate(orderedTimeMillis, nowMillis);
            upperHeard = Math.min(upperHeard, upperMillis);
        }
    }

    private long estimate(long nowMillis, long wallMillis) {
        return timeKnown ? orderedTimeHeard + (nowMillis - heardAtMillis) : wallMillis;
    }

    private void setEstimate(long orderedTimeMillis, long nowMillis) {
        timeKnown = true;
        orderedTimeHeard = orderedTimeMillis;
        heardAtMillis = nowMillis;
    }
}
