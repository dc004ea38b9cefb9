package org.amo.core.client;

import org.amo.core.request.Answer;
import org.amo.core.sack.FinishedNumbers;

/**
 * One attempt of a call that leaves as a datagram, for a caller that waits in the thread which sends it, as an ORB's does. Says when the
 * same attempt leaves again, when it is given up, and the next step of its call. The next attempt goes over a connection, under
 * the same number. {@link GroupClient} does so for many calls at a time.
 *
 * <p>The waiting thread owns it. Its construction and the end of the attempt change the session, whose lock the thread then holds. Nothing
 * survives a crash.
 */
public final class AwaitedDatagram {
    /** A client sends one such attempt, so no other has this name. */
    private static final long COPY = 1;

    private final AttemptedCall call;
    private final DatagramChoice choice = new DatagramChoice(GroupClient.Datagrams.FIRST);
    private final long endMillis;
    private SentDatagram sent;

    /**
     * The attempt may leave now, and any number of copies of it.
     *
     * @param attemptMillis how long one member is asked at most
     */
    public AwaitedDatagram(
            ClientSession session,
            AttemptedCall call,
            byte[] body,
            long attemptMillis,
            long nowMillis,
            long wallMillis) {
        ClientCall number = call.send(Delivery.MAY_REPEAT, nowMillis, wallMillis);
        FinishedNumbers finished = session.carry(nowMillis);
        Attempt attempt = new Attempt(
                COPY, number.id(), number.timestampMillis(), number.deadlineMillis(), false, finished, body);
        this.call = call;
        this.endMillis =
                Math.min(nowMillis + choice.awaitedMillis(attemptMillis), Math.max(nowMillis, call.endMillis()));
        this.sent = choice.sent(attempt, 0, nowMillis);
    }

    /** The same in each of its datagrams. */
    public Attempt attempt() {
        return sent.attempt();
    }

    /** Until then an answer is awaited; then {@link #leavesAgain} is asked. */
    public long waitsUntilMillis() {
        return Math.min(sent.againAtMillis(), endMillis);
    }

    /** Whether the same attempt is to leave once more; otherwise its time is over, and {@link #onLost} follows. */
    public boolean leavesAgain(long nowMillis) {
        if (nowMillis >= endMillis) {
            return false;
        }
        sent = choice.again(sent, nowMillis);
        return true;
    }

    /** The member's answer: as over a connection, but a refusal proves less. */
    public AttemptedCall.Next onAnswer(Answer answer, long nowMillis, long wallMillis) {
        return call.onAnswer(answer, nowMillis, wallMillis);
    }

    /**
     * The member has the attempt, and sends no answer by a datagram.
     *
     * @param stays whether the same member answers over a connection
     */
    public AttemptedCall.Next onTurnedAway(boolean stays, long nowMillis) {
        return new AttemptedCall.Next(call.onBroken(true, nowMillis).step(), !stays);
    }

    /**
     * No answer has come in time, or none can come.
     *
     * @param left whether a datagram may have left
     */
    public AttemptedCall.Next onLost(boolean left, long nowMillis) {
        return call.onBroken(left, nowMillis);
    }
}
