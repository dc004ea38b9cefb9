package org.amo.core.request;

import org.amo.base.CallPath;
import org.amo.base.wire.WireReader;

/**
 * A request as every one of its attempts carries it: all fields are fixed at the first send.
 *
 * <p>Times are milliseconds of the group's time (the largest stamp in the ordered log, which follows the wall clock), not of
 * any one machine.
 *
 * @param id names the logical call
 * @param timestampMillis compared with {@code upper} to refuse a request that may have been forgotten
 * @param deadlineMillis after it the request is never started, and its reply may be forgotten
 * @param fingerprint hash of operation, object and arguments; another value under the same id is ID_REUSED
 * @param oneway no caller waits for a reply, and none is kept
 * @param body the input of the servant side; opaque here. Not copied: do not change it
 * @param path the groups that wait for its reply, since their operations called; NONE for a client's own request
 */
public record Request(
        RequestId id,
        long timestampMillis,
        long deadlineMillis,
        long fingerprint,
        boolean oneway,
        byte[] body,
        CallPath path) {

    /** The largest timestamp and the longest time from it to the deadline (year 10889): sums cannot overflow. */
    public static final long MAX_TIME_MILLIS = WireReader.MAX_TIME_MILLIS;

    /** Longest body. */
    public static final int MAX_BODY_BYTES = 64 << 20;

    // A request that no entry can carry must not get into one: every member would drop the whole entry.
    public Request {
        if (deadlineMillis < timestampMillis) {
            throw new IllegalArgumentException(
                    "deadline before timestamp: deadline=" + deadlineMillis + " timestamp=" + timestampMillis);
        }
        if (timestampMillis < -MAX_TIME_MILLIS
                || timestampMillis > MAX_TIME_MILLIS
                || deadlineMillis > timestampMillis + MAX_TIME_MILLIS) {
            throw new IllegalArgumentException("times are at most " + MAX_TIME_MILLIS
                    + " ms apart and from 1970: timestamp=" + timestampMillis + " deadline=" + deadlineMillis);
        }
        if (body.length > MAX_BODY_BYTES) {
            throw new IllegalArgumentException(
                    "a request has at most " + MAX_BODY_BYTES + " bytes: length=" + body.length);
        }
    }

    /** Of a client for which no operation waits. */
    public Request(
            RequestId id, long timestampMillis, long deadlineMillis, long fingerprint, boolean oneway, byte[] body) {
        this(id, timestampMillis, deadlineMillis, fingerprint, oneway, body, CallPath.NONE);
    }

    /** The same for a group whose operations make no calls that could come back. */
    public Request withoutPath() {
        return path.isEmpty() ? this : new Request(id, timestampMillis, deadlineMillis, fingerprint, oneway, body);
    }
}
