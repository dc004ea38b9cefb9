package org.amo.core.client;

import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;

/**
 * One copy of a call on its way to one member.
 *
 * @param copy names it between this client and the member's answer; never used twice by a client
 * @param id of the call
 * @param timestampMillis as every copy of this number carries it
 * @param deadlineMillis as every copy of this number carries it
 * @param oneway the answer carries no reply
 * @param finished what this client has finished
 * @param body what the service is to run. Not copied: do not change it
 */
public record Copy(
        long copy,
        RequestId id,
        long timestampMillis,
        long deadlineMillis,
        boolean oneway,
        FinishedNumbers finished,
        byte[] body) {}
