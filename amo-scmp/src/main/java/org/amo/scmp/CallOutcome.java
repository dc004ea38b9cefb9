package org.amo.scmp;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * The outcome of a call for its caller.
 *
 * @param kind the knowledge about the execution
 * @param reason the last reason of the server, if it refused
 * @param body the result, or for SERVICE_FAILED the message
 */
public record CallOutcome(Kind kind, Optional<RefusalReason> reason, byte[] body) {
    private static final byte[] NOTHING = {};

    /** The client's knowledge about the execution. */
    public enum Kind {
        /** It ran once, and this is its result. */
        REPLY,
        /** It ran once, and the service threw. */
        SERVICE_FAILED,
        /** It never ran and never will. */
        NOT_EXECUTED,
        /** The call ran once or not at all, and the client cannot find out. It must not be repeated as if it had not run. */
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
