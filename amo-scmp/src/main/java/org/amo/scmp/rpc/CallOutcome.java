package org.amo.scmp.rpc;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * How a call ended for its caller.
 *
 * @param kind what is known
 * @param reason what the server last said, if it refused
 * @param body the result, or for SERVICE_FAILED the message
 */
public record CallOutcome(Kind kind, Optional<RefusalReason> reason, byte[] body) {
    private static final byte[] NOTHING = {};

    /** What is known of the execution. */
    public enum Kind {
        /** It ran once, and this is its result. */
        REPLY,
        /** It ran once, and the service threw. */
        SERVICE_FAILED,
        /** It never ran and never will. */
        NOT_EXECUTED,
        /** It ran once or not at all, and nobody will ever know better here. It must not be repeated as if it had not run. */
        UNKNOWN
    }

    static CallOutcome of(Reply reply) {
        return new CallOutcome(reply.failed() ? Kind.SERVICE_FAILED : Kind.REPLY, Optional.empty(), reply.body());
    }

    static CallOutcome unknown(Optional<RefusalReason> reason) {
        return new CallOutcome(Kind.UNKNOWN, reason, NOTHING);
    }

    static CallOutcome notExecuted(Optional<RefusalReason> reason) {
        return new CallOutcome(Kind.NOT_EXECUTED, reason, NOTHING);
    }

    /** The body as text. */
    public String message() {
        return new String(body, StandardCharsets.UTF_8);
    }
}
