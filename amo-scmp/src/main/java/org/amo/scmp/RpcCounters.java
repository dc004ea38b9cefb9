package org.amo.scmp;

/** The counters of a server and the sizes that it holds, at one moment. */
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
