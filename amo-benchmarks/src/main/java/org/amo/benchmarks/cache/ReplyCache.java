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

    /** amo's form of a policy. */
    static ReplyCache of(PrunedReplies cache) {
        return new ReplyCache() {
            @Override
            public void advance(long nowMillis) {
                cache.advance(nowMillis);
            }

            @Override
            public Verdict accept(
                    ClientId client, long number, long timestamp, long deadline, FinishedNumbers acknowledged) {
                return cache.accept(client, number, timestamp, deadline, acknowledged);
            }

            @Override
            public void complete(ClientId client, long number, byte[] reply) {
                cache.complete(client, number, reply);
            }

            @Override
            public long entries() {
                return cache.entries();
            }

            @Override
            public long replyBytes() {
                return cache.replyBytes();
            }
        };
    }
}
