package org.amo.benchmarks.rpclog;

import java.util.concurrent.CompletableFuture;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.lease.LeaseAnswer;
import org.amo.linearizable.lease.LeaseId;
import org.amo.linearizable.rocksdb.Authority;

/** A coordinator that answers that every lease is live. */
final class AlwaysLive implements Authority {
    static final ClusterTime EXPIRES = new ClusterTime(1_000_000);
    static final ClusterTime NOW = new ClusterTime(1);

    @Override
    public CompletableFuture<LeaseAnswer> check(LeaseId client) {
        return CompletableFuture.completedFuture(new LeaseAnswer(LeaseAnswer.Status.LIVE, client, EXPIRES, NOW));
    }

    @Override
    public CompletableFuture<ClusterTime> time() {
        return CompletableFuture.completedFuture(NOW);
    }
}
