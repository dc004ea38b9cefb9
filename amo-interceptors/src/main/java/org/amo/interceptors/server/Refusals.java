package org.amo.interceptors.server;

import org.amo.core.request.Answer;
import org.amo.core.request.Budget;
import org.amo.core.request.Refusal;
import org.amo.interceptors.MinorCodes;
import org.omg.CORBA.BAD_PARAM;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.SystemException;
import org.omg.CORBA.TIMEOUT;
import org.omg.CORBA.TRANSIENT;

/** Chooses the system exception for a client: its attempt was not run, or the outcome is unknown. */
final class Refusals {
    private Refusals() {}

    /** For an answer that is no reply. */
    static SystemException exception(Answer answer, CallIdentity.Kind sender) {
        if (answer.refusal().isEmpty()) {
            return new TIMEOUT(
                    "it is unknown whether the request ran", MinorCodes.UNKNOWN, CompletionStatus.COMPLETED_MAYBE);
        }
        Refusal refusal = answer.refusal().get();
        int minor = MinorCodes.of(refusal, answer.budget());
        // The attempts of a foreign client cannot be counted, so the refusal of one says nothing of the call.
        CompletionStatus completed = sender == CallIdentity.Kind.FOREIGN || refusal == Refusal.STALE
                ? CompletionStatus.COMPLETED_MAYBE
                : CompletionStatus.COMPLETED_NO;
        return switch (refusal) {
            case ID_REUSED -> new BAD_PARAM("the request's id is in use for another request", minor, completed);
            case STALE -> new TIMEOUT("the request is too old: it is unknown whether it ran", minor, completed);
            case EXPIRED -> new TIMEOUT("the request's deadline has passed", minor, completed);
            case TOO_EARLY -> new TRANSIENT("the request's timestamp is ahead of the group's time", minor, completed);
            case OVERLOADED ->
                new TRANSIENT(
                        answer.budget().map(Budget::sentence).orElse("the group has no room or no majority"),
                        minor,
                        completed);
        };
    }
}
