package org.amo.linearizable.lease;

import java.util.Optional;
import java.util.TreeMap;

/**
 * The client's side of its lease (section III-A): opens it, renews it when half of it is over, and says whether a call
 * may still be sent. It reckons with the worst: a lease ends, for it, one full term after the moment at which it asked.
 *
 * <p>{@code nowMillis} is monotonic. One thread owns it. Nothing survives a crash: a client that starts again is another.
 */
public final class LeaseAgent {
    private static final long MIN_RETRY_MILLIS = 10;

    /** Questions that may still be answered. */
    private static final int MOST_ASKED = 64;

    private final LeaseAgentEffects effects;
    private final long dangerMillis;
    private final long retryMillis;

    private State state = State.NONE;
    private Optional<LeaseId> client = Optional.empty();
    private ClusterTime expires = ClusterTime.ZERO;
    private ClusterTime heard = ClusterTime.ZERO;
    private long endMillis;
    private long renewAtMillis;

    private long attempt;

    /**
     * When each question was asked, by its attempt, while none has its answer. An answer counts from its own question: one
     * that was asked before and answered late is not taken for the answer to a later one.
     */
    private final TreeMap<Long, Long> asked = new TreeMap<>();

    /** When the last question was asked, or refused. */
    private long askedMillis;

    private long termMillis = Long.MAX_VALUE;

    private enum State {
        NONE,
        OPENING,
        HELD
    }

    /**
     * @param dangerMillis a call is not sent if the lease may end sooner than this; RAMCloud takes 500 ms
     * @param retryMillis after which a question to the authority is asked again; a renewal after a sixteenth of the term
     *     if that is less
     */
    public LeaseAgent(long dangerMillis, long retryMillis, LeaseAgentEffects effects) {
        if (dangerMillis < 0 || retryMillis < 1) {
            throw new IllegalArgumentException("danger must not be negative and retry positive: dangerMillis="
                    + dangerMillis + " retryMillis=" + retryMillis);
        }
        this.dangerMillis = dangerMillis;
        this.retryMillis = retryMillis;
        this.effects = effects;
    }

    /** Begins, at first or after the lease was lost. */
    public void open(long nowMillis) {
        if (state != State.NONE) {
            throw new IllegalStateException("the lease is being opened or held already");
        }
        state = State.OPENING;
        ask(nowMillis);
    }

    /** An answer of the authority. One that comes after another, or to another life, does not count. */
    public void onAnswer(long answered, LeaseAnswer answer, long nowMillis) {
        onHeard(answer.now());
        Long since = asked.get(answered);
        if (since == null) {
            return;
        }
        asked.clear();
        switch (answer.status()) {
            case LIVE -> {
                boolean opened = state == State.OPENING;
                state = State.HELD;
                client = Optional.of(answer.client());
                expires = answer.expires();
                termMillis = answer.expires().millis() - answer.now().millis();
                endMillis = since + termMillis;
                renewAtMillis = since + termMillis / 2;
                if (opened) {
                    effects.onOpened(answer.client());
                }
            }
            case EXPIRED -> {
                state = State.NONE;
                Optional<LeaseId> lost = client;
                client = Optional.empty();
                lost.ifPresent(effects::onLost);
            }
            case FULL -> askedMillis = nowMillis;
        }
    }

    /** A cluster time that a server mentioned. */
    public void onHeard(ClusterTime time) {
        heard = ClusterTime.max(heard, time);
    }

    public void onTick(long nowMillis) {
        if (nowMillis >= nextDeadline()) {
            ask(nowMillis);
        }
    }

    /** When {@link #onTick} must be called. */
    public long nextDeadline() {
        return switch (state) {
            case NONE -> Long.MAX_VALUE;
            case OPENING -> askedMillis + retryMillis;
            case HELD -> asked.isEmpty() ? renewAtMillis : askedMillis + renewRetryMillis();
        };
    }

    /** Whether a call that is sent now reaches a server within the lease, as far as a client can tell. */
    public boolean mayCall(long nowMillis) {
        return state == State.HELD && endMillis - nowMillis > dangerMillis;
    }

    /** How long the lease surely lasts, as far as a client can tell; 0 without one. */
    public long leftMillis(long nowMillis) {
        return state == State.HELD ? Math.max(0, endMillis - nowMillis) : 0;
    }

    /** Of the lease that is held, or was last. */
    public long termMillis() {
        return termMillis;
    }

    /** The id that calls carry; empty without a lease. */
    public Optional<LeaseId> client() {
        return client;
    }

    /** The end of the lease that calls carry. */
    public ClusterTime expires() {
        return expires;
    }

    /** The largest cluster time heard, which calls carry: surely past. */
    public ClusterTime clusterTime() {
        return heard;
    }

    /** So often that a short lease, too, is renewed if most questions are lost. */
    private long renewRetryMillis() {
        return Math.min(retryMillis, Math.max(MIN_RETRY_MILLIS, termMillis / 16));
    }

    private void ask(long nowMillis) {
        askedMillis = nowMillis;
        asked.put(++attempt, nowMillis);
        if (asked.size() > MOST_ASKED) {
            asked.pollFirstEntry();
        }
        if (state == State.OPENING) {
            effects.open(attempt);
        } else {
            effects.renew(client.orElseThrow(), attempt);
        }
    }
}
