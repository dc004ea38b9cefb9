package org.amo.core.lease;

import java.util.Optional;

/**
 * The client's side of its lease (section III-A): opens it, renews it when half of it is over, and says whether a call
 * may still be sent. It reckons with the worst: a lease ends, for it, one full term after the moment at which it asked.
 *
 * <p>{@code nowMillis} is monotonic. One thread owns it. Nothing survives a crash: a client that starts again is another.
 */
public final class LeaseAgent {
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
    private boolean asking;
    private long askedMillis;

    private enum State {
        NONE,
        OPENING,
        HELD
    }

    /**
     * @param dangerMillis a call is not sent if the lease may end sooner than this; RAMCloud takes 500 ms
     * @param retryMillis after which a question to the authority is asked again
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

    /** An answer of the authority. One to an attempt that was given up, or to another life, does not count. */
    public void onAnswer(long answered, LeaseAnswer answer, long nowMillis) {
        onHeard(answer.now());
        if (!asking || answered != attempt) {
            return;
        }
        asking = false;
        switch (answer.status()) {
            case LIVE -> {
                boolean opened = state == State.OPENING;
                state = State.HELD;
                client = Optional.of(answer.client());
                expires = answer.expires();
                long term = answer.expires().millis() - answer.now().millis();
                endMillis = askedMillis + term;
                renewAtMillis = askedMillis + term / 2;
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
            case HELD -> asking ? askedMillis + retryMillis : renewAtMillis;
        };
    }

    /** Whether a call that is sent now reaches a server within the lease, as far as a client can tell. */
    public boolean mayCall(long nowMillis) {
        return state == State.HELD && endMillis - nowMillis > dangerMillis;
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

    private void ask(long nowMillis) {
        asking = true;
        askedMillis = nowMillis;
        long asked = ++attempt;
        if (state == State.OPENING) {
            effects.open(asked);
        } else {
            effects.renew(client.orElseThrow(), asked);
        }
    }
}
