package org.amo.core.client;

import java.util.Optional;
import org.amo.core.client.GroupClient.Datagrams;

/**
 * Decides whether attempts leave as datagrams, and when one leaves again: after the smoothed round trip and four deviations
 * (RFC 6298), then after twice the time before. An attempt that left twice measures nothing (Karn). One thread owns it.
 */
final class DatagramChoice {
    /** Before the first measurement. A network that is slower gets a second datagram, and then a connection, for nothing. */
    static final long FIRST_MILLIS = 150;

    private static final long LEAST_MILLIS = 20;
    private static final long MOST_MILLIS = 2_000;

    private final Datagrams policy;
    private boolean unanswered;
    private boolean measured;
    private long smoothedMillis;
    private long deviationMillis;

    DatagramChoice(Datagrams policy) {
        this.policy = policy;
    }

    /**
     * Whether an attempt may leave as a datagram.
     *
     * @param connected whether it could leave over a connection
     * @param another whether a datagram of another call waits for its answer
     */
    boolean mayLeave(boolean connected, boolean another) {
        return switch (policy) {
            case NEVER -> false;
            case FIRST -> !connected && !another && !unanswered;
            case ALWAYS -> true;
        };
    }

    /** Whether a client that has more to say opens a connection. */
    boolean endWithConnection() {
        return policy == Datagrams.FIRST;
    }

    /** How long an answer is awaited until another attempt leaves: twice sent, if a connection is the way after it. */
    long awaitedMillis(long attemptMillis) {
        return endWithConnection() ? Math.min(attemptMillis, 3 * interval()) : attemptMillis;
    }

    SentDatagram sent(Attempt attempt, int member, long nowMillis) {
        return new SentDatagram(attempt, member, nowMillis, nowMillis + interval(), interval(), true);
    }

    SentDatagram again(SentDatagram sent, long nowMillis) {
        long next = Math.min(2 * sent.intervalMillis(), MOST_MILLIS);
        return new SentDatagram(sent.attempt(), sent.member(), sent.sentAtMillis(), nowMillis + next, next, false);
    }

    /** A member answers datagrams. */
    void answered(Optional<SentDatagram> sent, long nowMillis) {
        unanswered = false;
        sent.filter(SentDatagram::once).ifPresent(each -> measure(nowMillis - each.sentAtMillis()));
    }

    /** None came back in time: a port may be closed, or a firewall in between. */
    void unanswered() {
        unanswered = true;
    }

    private void measure(long millis) {
        if (!measured) {
            measured = true;
            smoothedMillis = millis;
            deviationMillis = millis / 2;
            return;
        }
        deviationMillis += (Math.abs(millis - smoothedMillis) - deviationMillis) / 4;
        smoothedMillis += (millis - smoothedMillis) / 8;
    }

    private long interval() {
        long millis = measured ? smoothedMillis + 4 * deviationMillis : FIRST_MILLIS;
        return Math.min(MOST_MILLIS, Math.max(LEAST_MILLIS, millis));
    }
}
