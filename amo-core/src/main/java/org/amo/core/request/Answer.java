package org.amo.core.request;

import java.util.Optional;

/**
 * The answer of a replica to the sender of one attempt. Every answer, refusals too, carries the group's time and bound, from
 * which the client derives its next timestamps.
 *
 * @param kind which of the three
 * @param refusal the reason, when {@code kind} is REFUSED
 * @param budget the budget that was exhausted, when the refusal is OVERLOADED and the replica knows
 * @param reply the servant's reply, byte-identical at every replica; empty unless {@code kind} is REPLY. Not copied
 * @param orderedTimeMillis the group's time where this was decided; 0 when the group has none yet
 * @param upperMillis timestamps up to here are refused; {@link #NO_BOUND} when the group has none yet
 */
public record Answer(
        Kind kind,
        Optional<Refusal> refusal,
        Optional<Budget> budget,
        byte[] reply,
        long orderedTimeMillis,
        long upperMillis) {

    public Answer {
        if (refusal.isPresent() != (kind == Kind.REFUSED)
                || (budget.isPresent() && !refusal.equals(Optional.of(Refusal.OVERLOADED)))
                || (kind != Kind.REPLY && reply.length > 0)) {
            throw new IllegalArgumentException("an answer of kind " + kind + " has refusal " + refusal + ", budget "
                    + budget + " and a reply of " + reply.length + " bytes");
        }
    }

    /** {@code upperMillis} before the group has one. */
    public static final long NO_BOUND = Long.MIN_VALUE;

    /**
     * Longest reply that the members' messages, snapshots and client frames carry. An exception, the same at every member,
     * answers a request with a longer reply.
     */
    public static final int MAX_REPLY_BYTES = Request.MAX_BODY_BYTES;

    private static final byte[] NOTHING = {};

    /** The three outcomes of an attempt. */
    public enum Kind {
        /** It ran once, now or earlier, and this is its reply. */
        REPLY,
        /** This attempt did not run. */
        REFUSED,
        /** The replica cannot tell, and will not be able to. */
        UNKNOWN
    }

    public static Answer reply(byte[] reply, long orderedTimeMillis, long upperMillis) {
        return new Answer(Kind.REPLY, Optional.empty(), Optional.empty(), reply, orderedTimeMillis, upperMillis);
    }

    public static Answer refused(Refusal refusal, long orderedTimeMillis, long upperMillis) {
        return new Answer(
                Kind.REFUSED, Optional.of(refusal), Optional.empty(), NOTHING, orderedTimeMillis, upperMillis);
    }

    /** OVERLOADED, with the budget that was exhausted. */
    public static Answer overloaded(Budget budget, long orderedTimeMillis, long upperMillis) {
        return new Answer(
                Kind.REFUSED,
                Optional.of(Refusal.OVERLOADED),
                Optional.of(budget),
                NOTHING,
                orderedTimeMillis,
                upperMillis);
    }

    public static Answer unknown(long orderedTimeMillis, long upperMillis) {
        return new Answer(Kind.UNKNOWN, Optional.empty(), Optional.empty(), NOTHING, orderedTimeMillis, upperMillis);
    }

    /** The same answer with another reply. */
    public Answer withReply(byte[] value) {
        return new Answer(kind, refusal, budget, value, orderedTimeMillis, upperMillis);
    }

    /** The same answer under a later time and bound of the group. */
    public Answer at(long orderedTime, long upper) {
        return new Answer(kind, refusal, budget, reply, orderedTime, upper);
    }
}
