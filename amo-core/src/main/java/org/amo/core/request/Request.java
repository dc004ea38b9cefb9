package org.amo.core.request;

/**
 * A request as every one of its copies carries it: all fields are fixed at the first send.
 *
 * <p>Times are milliseconds of the group's time (the largest stamp in the ordered log, which
 * follows the wall clock), not of any one machine.
 *
 * @param id names the logical call
 * @param timestampMillis compared with {@code upper} to refuse what may have been forgotten
 * @param deadlineMillis after it the request is never started, and its reply may be forgotten
 * @param fingerprint hash of operation, object and arguments; another value under the same id is ID_REUSED
 * @param oneway nobody waits for a reply, and none is kept
 * @param body what the servant side needs to run it; opaque here. Not copied: do not change it
 */
public record Request(
        RequestId id, long timestampMillis, long deadlineMillis, long fingerprint, boolean oneway, byte[] body) {

    public Request {
        if (deadlineMillis < timestampMillis) {
            throw new IllegalArgumentException(
                    "deadline before timestamp: deadline=" + deadlineMillis + " timestamp=" + timestampMillis);
        }
    }
}
