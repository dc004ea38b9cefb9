package org.amo.core.request;

import java.util.Optional;

/**
 * What a replica tells the sender of one copy. Every answer, refusals too, carries the group's time
 * and bound, from which the client derives its next timestamps.
 *
 * @param kind which of the three
 * @param refusal the reason, when {@code kind} is REFUSED
 * @param reply the servant's reply, byte-identical at every replica; empty unless {@code kind} is REPLY. Not copied
 * @param orderedTimeMillis the group's time where this was decided; 0 when the group has none yet
 * @param upperMillis timestamps up to here are refused; {@link #NO_BOUND} when the group has none yet
 */
public record Answer(Kind kind, Optional<Refusal> refusal, byte[] reply, long orderedTimeMillis, long upperMillis) {

    /** {@code upperMillis} before the group has one. */
    public static final long NO_BOUND = Long.MIN_VALUE;

    private static final byte[] NOTHING = {};

    /** The three outcomes of a copy. */
    public enum Kind {
        /** It ran once, now or earlier, and this is its reply. */
        REPLY,
        /** This copy did not run. */
        REFUSED,
        /** The replica cannot tell, and will not be able to. */
        UNKNOWN
    }

    public static Answer reply(byte[] reply, long orderedTimeMillis, long upperMillis) {
        return new Answer(Kind.REPLY, Optional.empty(), reply, orderedTimeMillis, upperMillis);
    }

    public static Answer refused(Refusal refusal, long orderedTimeMillis, long upperMillis) {
        return new Answer(Kind.REFUSED, Optional.of(refusal), NOTHING, orderedTimeMillis, upperMillis);
    }

    public static Answer unknown(long orderedTimeMillis, long upperMillis) {
        return new Answer(Kind.UNKNOWN, Optional.empty(), NOTHING, orderedTimeMillis, upperMillis);
    }
}
