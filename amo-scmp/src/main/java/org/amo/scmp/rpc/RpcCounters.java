package org.amo.scmp.rpc;

/** What a server has done and holds. A snapshot. */
public record RpcCounters(
        long accepted,
        long repliesSentAgain,
        long acknowledged,
        long held,
        long stale,
        long tooEarly,
        long overloaded,
        long noSuchService,
        long unknownCalls,
        long ignored,
        int connections,
        int computing,
        int storedReplies,
        long storedReplyBytes) {}
