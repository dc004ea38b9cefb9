package org.amo.linearizable.rpclog;

/** A server's decision about an attempt of a call. */
public enum RpcVerdict {
    /** New, and marked as started: execute it, write object and record in one, then {@link UnackedRpcResults#complete}. */
    EXECUTE,
    /** It is being executed: the client asks again later. */
    RETRY_LATER,
    /** It was executed: answer with the result in its record. */
    REPLAY,
    /** Its result was acknowledged: the client waits for no answer, and the call is never executed. */
    STALE,
    /** New, but the lease it claims may be over: ask the authority, then judge the call again with its answer. */
    LEASE_IN_DOUBT,
    /** New, and the authority says that the lease is over: refused. This attempt did not run. */
    LEASE_EXPIRED,
    /** New, but too far above ackId: a client that keeps to its window sends no such number. */
    BEYOND_WINDOW,
    /** The server has not learned the cluster time, or has no room for another client. This attempt did not run. */
    NOT_NOW
}
