package org.amo.core.replica;

import java.util.Optional;
import java.util.OptionalLong;

/** Takes the timers and the nested calls of the operations that run at a {@link Replica}. The owner of the replica owns it. */
public final class OperationEvents {
    private final HeldRequests held;
    private final OperationFacts facts;
    private final Submitter submitter;

    OperationEvents(HeldRequests held, OperationFacts facts, Submitter submitter) {
        this.held = held;
        this.facts = facts;
        this.submitter = submitter;
    }

    // ------------------------------------------------- timers

    /**
     * The group's time at which the next timer of the servant is due; empty if none is pending. The leader orders an entry when the time
     * has come. Nothing else depends on it.
     */
    public void onTimer(OptionalLong dueMillis) {
        submitter.onTimer(dueMillis);
    }

    /** Whether the servant has pending timers, as far as {@link #onTimer} told. */
    public boolean hasPendingTimers() {
        return submitter.hasPendingTimers();
    }

    /** The timer at this place has run to its end, or was skipped: behind all requests and timers before it, before all others. */
    public void onTimerRan(Place place) {
        held.executed(place);
    }

    // ------------------------------------------------- nested calls

    /**
     * The operation that runs here makes a nested call and waits: for {@link ReplicaEffects#nestedResult}, which comes at
     * every member.
     *
     * @param number of the call in the operation, from 0
     * @param deadlineMillis of the request, in the group's time
     */
    public void onNestedCall(Place place, int number, long deadlineMillis, long nowMillis) {
        facts.onCall(place, number, deadlineMillis, nowMillis);
    }

    /** @param identity under which any member may send the call again; empty if its callee would run it again */
    public void onNestedIdentity(Place place, int number, Optional<byte[]> identity, long nowMillis) {
        facts.onIdentity(place, number, identity);
        submitter.pump(nowMillis);
    }

    /**
     * This member has sent the call.
     *
     * @param result empty if it is unknown
     */
    public void onNestedSent(Place place, int number, Optional<byte[]> result, long nowMillis) {
        facts.onSent(place, number, result);
        submitter.pump(nowMillis);
    }
}
