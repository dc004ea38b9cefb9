package org.amo.core.client;

import java.util.Optional;
import org.amo.core.request.Budget;
import org.amo.core.request.Refusal;

/**
 * The next step of the shell for a call.
 *
 * @param kind of the step
 * @param delayMillis SEND_AGAIN: how long to wait first
 * @param reason NOT_EXECUTED and UNKNOWN: the last refusal heard, if any
 * @param budget of an OVERLOADED reason: the exhausted budget, as far as the replica named it
 */
public record Step(Kind kind, long delayMillis, Optional<Refusal> reason, Optional<Budget> budget) {

    /** The next thing to do. */
    public enum Kind {
        /** A reply came: hand it to the application, then call {@link ClientCall#onHandedOver}. */
        REPLY,
        /** Send an attempt with the call's present id, timestamp and deadline (they may have changed), to another member. */
        SEND_AGAIN,
        /** Other attempts may still be answered: wait for them or for the deadline. */
        WAIT,
        /** It certainly did not and will not run: raise that, then call {@link ClientCall#onHandedOver}. */
        NOT_EXECUTED,
        /** No member can tell whether it ran: raise that, then call {@link ClientCall#onHandedOver}. */
        UNKNOWN
    }

    static final Step REPLY = new Step(Kind.REPLY, 0, Optional.empty(), Optional.empty());
    static final Step WAIT = new Step(Kind.WAIT, 0, Optional.empty(), Optional.empty());

    static Step sendAgain(long delayMillis) {
        return new Step(Kind.SEND_AGAIN, delayMillis, Optional.empty(), Optional.empty());
    }

    static Step notExecuted(Optional<Refusal> reason, Optional<Budget> budget) {
        return new Step(Kind.NOT_EXECUTED, 0, reason, budget);
    }

    static Step unknown(Optional<Refusal> reason, Optional<Budget> budget) {
        return new Step(Kind.UNKNOWN, 0, reason, budget);
    }
}
