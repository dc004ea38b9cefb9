package org.amo.interceptors.client;

import java.util.OptionalLong;
import org.amo.core.client.AttemptedCall;

/**
 * The time limits of one call, in milliseconds from its begin: the client's deadline, and the limits that the application set in its
 * ORB. A retry gets the rest of them.
 *
 * @param timeoutMillis how long the call may take
 * @param graceMillis how long after that an attempt may still be answered; never beyond a limit of the application's
 * @param replyMillis the application's limit for the reply, or {@link #NONE}
 * @param sendMillis later than that, nothing is sent for the call any more, or {@link #NONE}
 */
record CallLimits(long timeoutMillis, long graceMillis, long replyMillis, long sendMillis) {
    /** Beyond every deadline, and still a number that a time can be added to. */
    static final long NONE = Long.MAX_VALUE / 4;

    /**
     * JacORB's {@code pending_reply_timeout} is none of them: it limits the wait for one member, and the next one may answer.
     *
     * @param reply the time that the application's policies leave for the whole call
     * @param request the time that they leave until the request has been delivered
     */
    static CallLimits of(OptionalLong reply, OptionalLong request, ClientSettings settings) {
        long own = reply.isPresent() ? Math.max(1, reply.getAsLong()) : NONE;
        long timeout = Math.min(own, settings.deadlineMillis());
        return new CallLimits(timeout, Math.min(own - timeout, AttemptedCall.GRACE_MILLIS), own, request.orElse(NONE));
    }
}
