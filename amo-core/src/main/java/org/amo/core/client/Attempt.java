package org.amo.core.client;

import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;

/**
 * One attempt of a call, on its way to one member.
 *
 * @param copy names it between this client and the member's answer; never used twice by a client
 * @param id of the call
 * @param timestampMillis as every attempt of this number carries it
 * @param deadlineMillis as every attempt of this number carries it
 * @param oneway the answer carries no reply
 * @param finished the finished numbers of this client
 * @param body the request body for the service. Not copied: do not change it
 */
public record Attempt(
        long copy,
        RequestId id,
        long timestampMillis,
        long deadlineMillis,
        boolean oneway,
        FinishedNumbers finished,
        byte[] body) {

    /** Of the call under this number. */
    public ClientCall.Identity identity() {
        return new ClientCall.Identity(id, timestampMillis, deadlineMillis);
    }
}
