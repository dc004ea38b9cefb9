package org.amo.interceptors.client;

import org.amo.core.client.Step;
import org.amo.core.request.Refusal;
import org.amo.core.request.RequestId;
import org.amo.interceptors.MinorCodes;
import org.omg.CORBA.BAD_INV_ORDER;
import org.omg.CORBA.BAD_PARAM;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.SystemException;
import org.omg.CORBA.TIMEOUT;
import org.omg.CORBA.TRANSIENT;

/** Maps the end of a call without a reply to CORBA's system exceptions. */
final class Outcomes {
    /** CORBA's minor code for it. */
    private static final int OMG_SHUT_DOWN = 4;

    private Outcomes() {}

    /** COMPLETED_NO: it certainly did not and will not run. */
    static SystemException notExecuted(RequestId id, Step step) {
        CompletionStatus no = CompletionStatus.COMPLETED_NO;
        if (step.reason().isEmpty()) {
            return new TRANSIENT("call " + id + ": no member of the group could be reached", MinorCodes.NO_MEMBER, no);
        }
        Refusal reason = step.reason().get();
        String text = "call " + id + " was not executed: " + reason
                + step.budget().map(used -> ", " + used.sentence()).orElse("");
        int minor = MinorCodes.of(reason, step.budget());
        return switch (reason) {
            case OVERLOADED, TOO_EARLY -> new TRANSIENT(text, minor, no);
            case ID_REUSED -> new BAD_PARAM(text, minor, no);
            case EXPIRED, STALE -> new TIMEOUT(text, minor, no);
        };
    }

    /** As JacORB says it a moment later. */
    static SystemException orbIsDown() {
        return new BAD_INV_ORDER("the ORB is shut down", OMG_SHUT_DOWN, CompletionStatus.COMPLETED_NO);
    }

    /** Of a question that JacORB cannot send over another connection than its first one. */
    static SystemException elsewhere() {
        return new TRANSIENT(
                "the object is at another member by now; ask again",
                MinorCodes.NO_MEMBER,
                CompletionStatus.COMPLETED_NO);
    }

    /** COMPLETED_MAYBE, for ever. */
    static SystemException unknown(RequestId id) {
        return new TIMEOUT(
                "call " + id + ": it is unknown whether it ran", MinorCodes.UNKNOWN, CompletionStatus.COMPLETED_MAYBE);
    }

    /** The history's word for it. */
    static String reason(Step step) {
        return step.reason().map(Refusal::name).orElse(step.kind() == Step.Kind.UNKNOWN ? "UNKNOWN" : "NO_MEMBER");
    }
}
