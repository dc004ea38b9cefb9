package org.amo.linearizable.rocksdb;

import java.util.concurrent.CompletableFuture;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.lease.LeaseAnswer;
import org.amo.linearizable.lease.LeaseId;

/** The way to the coordinator. Answers may come on any thread; one that fails is asked for again by whoever needs it. */
public interface Authority {
    /** Whether a client's lease is live. */
    CompletableFuture<LeaseAnswer> check(LeaseId client);

    /** The cluster time, asked for after this call began. */
    CompletableFuture<ClusterTime> time();
}
