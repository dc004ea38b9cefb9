package org.amo.replication.lease;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.amo.core.lease.ClusterTime;
import org.amo.core.lease.LeaseAnswer;
import org.amo.core.lease.LeaseId;
import org.amo.replication.service.AmoClient;

/**
 * Asks a group of {@link LeaseService}s. What is asked runs at most once, whatever members die meanwhile; a future that
 * fails says as {@link AmoClient#callAsync} does whether it ran. Any thread may use it, any number of leases share one.
 */
public final class LeaseClient {
    private final Function<byte[], CompletionStage<byte[]>> calls;

    /** Over a client of the group. */
    public LeaseClient(AmoClient group) {
        this(group::callAsync);
    }

    /** Over whatever brings a request to {@link LeaseService#handle} and its answer back. */
    public LeaseClient(Function<byte[], CompletionStage<byte[]>> calls) {
        this.calls = calls;
    }

    /** A new id and a lease. One whose answer was lost is nobody's, and ends after its term. */
    public CompletableFuture<LeaseAnswer> open() {
        return answer(LeaseCalls.open());
    }

    /** One more term, if the lease is live. */
    public CompletableFuture<LeaseAnswer> renew(LeaseId client) {
        return answer(LeaseCalls.about(LeaseCalls.RENEW, client));
    }

    /** How a lease stands. */
    public CompletableFuture<LeaseAnswer> check(LeaseId client) {
        return answer(LeaseCalls.about(LeaseCalls.CHECK, client));
    }

    /** The cluster time at a point after this call began. */
    public CompletableFuture<ClusterTime> time() {
        return calls.apply(LeaseCalls.time()).thenApply(LeaseCalls::readTime).toCompletableFuture();
    }

    private CompletableFuture<LeaseAnswer> answer(byte[] request) {
        return calls.apply(request).thenApply(LeaseCalls::readAnswer).toCompletableFuture();
    }
}
