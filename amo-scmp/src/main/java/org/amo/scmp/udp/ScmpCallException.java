package org.amo.scmp.udp;

import org.amo.base.Stable;
import org.amo.scmp.CallOutcome;

/** A call that gave no result. {@link #kind} states whether the call ran, as far as certain. */
@Stable
public final class ScmpCallException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final CallOutcome.Kind kind;

    private ScmpCallException(CallOutcome.Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    static ScmpCallException of(CallOutcome outcome) {
        String why = outcome.reason()
                .map(reason -> switch (reason) {
                    case STALE -> "the server may have forgotten it, or restarted (STALE)";
                    case TOO_EARLY ->
                        "this machine's clock is ahead of the server's (TOO_EARLY); later calls use its time";
                    case OVERLOADED -> "too many calls, connections or unacknowledged replies (OVERLOADED)";
                    case NO_SUCH_SERVICE -> "the server has no such service (NO_SUCH_SERVICE)";
                    case UNKNOWN_CALL -> "the server restarted while it ran (UNKNOWN_CALL)";
                })
                .orElse("no answer in time");
        return new ScmpCallException(
                outcome.kind(),
                switch (outcome.kind()) {
                    case SERVICE_FAILED -> "the service failed: " + outcome.message();
                    case NOT_EXECUTED -> "not executed: " + why;
                    case UNKNOWN, REPLY -> "executed once or not at all, unknown which: " + why;
                });
    }

    /** SERVICE_FAILED, NOT_EXECUTED or UNKNOWN. */
    public CallOutcome.Kind kind() {
        return kind;
    }

    /** Whether it may have had its effect, so that repeating it could have it twice. */
    public boolean mayHaveRun() {
        return kind != CallOutcome.Kind.NOT_EXECUTED;
    }
}
