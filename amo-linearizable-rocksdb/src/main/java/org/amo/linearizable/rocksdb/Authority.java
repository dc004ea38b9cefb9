package org.amo.linearizable.rocksdb;

import java.util.concurrent.CompletableFuture;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.lease.LeaseAnswer;
import org.amo.linearizable.lease.LeaseId;

/**
 * The connection to the coordinator, authenticated: its answers are believed. Any thread asks, and must not be held up. Answers may
 * come on any thread; if one fails, its asker asks again. One that neither comes nor fails keeps the store from serving, so give
 * each a time limit.
 */
public interface Authority {
    /** Whether a client's lease is live. */
    CompletableFuture<LeaseAnswer> check(LeaseId client);

    /** The cluster time, asked for after this call began. */
    CompletableFuture<ClusterTime> time();
}
