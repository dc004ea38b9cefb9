package org.amo.benchmarks.cache;

import org.amo.base.ClientId;
import org.amo.benchmarks.cache.PrunedReplies.Verdict;
import org.amo.core.sack.FinishedNumbers;

/** The cache that the workload fills: one of amo's policies, or a form that a paper prints. */
interface ReplyCache {
    void advance(long nowMillis);

    Verdict accept(
            ClientId client, long number, long timestampMillis, long deadlineMillis, FinishedNumbers acknowledged);

    void complete(ClientId client, long number, byte[] reply);

    long entries();

    long replyBytes();
}
