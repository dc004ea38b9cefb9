package org.amo.replication.lease;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.lease.LeaseAnswer;
import org.amo.linearizable.lease.LeaseId;
import org.amo.linearizable.lease.Renewed;
import org.amo.replication.service.AmoClient;

/**
 * Asks a group of {@link LeaseService}s. Each request except {@link #renew} runs at most once, whichever members crash
 * meanwhile. A future that fails says, as {@link AmoClient#callAsync} does, whether the request ran. Any thread may use it,
 * and any number of leases share one.
 */
public final class LeaseClient {
    /** Of a renewal that is collected with others, if nothing else is said. */
    public static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Function<byte[], CompletionStage<byte[]>> calls;
    private final Function<byte[], CompletionStage<byte[]>> questions;

    /** Over a client of a group with {@link LeaseCollector}s at its members. */
    public LeaseClient(AmoClient group) {
        this(group::callAsync, question -> group.ask(question, PATIENCE));
    }

    /** Carries requests to {@link LeaseService#handle} by a function, and answers back. Renewals are not collected. */
    public LeaseClient(Function<byte[], CompletionStage<byte[]>> calls) {
        this(calls, calls);
    }

    /**
     * The same.
     *
     * @param questions brings a question to a {@link LeaseCollector}, and its answer back
     */
    public LeaseClient(
            Function<byte[], CompletionStage<byte[]>> calls, Function<byte[], CompletionStage<byte[]>> questions) {
        this.calls = calls;
        this.questions = questions;
    }

    /** A new id and a lease. If the answer is lost, the lease has no owner and ends after its term. */
    public CompletableFuture<LeaseAnswer> open() {
        return answer(LeaseCalls.open());
    }

    /**
     * One more term, if the lease is live. Collected with other clients' renewals, which costs the group next to nothing;
     * it may be lost, and fails then: ask again.
     */
    public CompletableFuture<LeaseAnswer> renew(LeaseId client) {
        return questions
                .apply(LeaseCalls.about(LeaseCalls.RENEW, client))
                .thenApply(LeaseCalls::readAnswer)
                .toCompletableFuture();
    }

    /** The same as an entry of the order by itself, whichever members crash meanwhile: for a lease that will end soon. */
    public CompletableFuture<LeaseAnswer> renewAlone(LeaseId client) {
        return answer(LeaseCalls.about(LeaseCalls.RENEW, client));
    }

    /** Many at once, ordered together. */
    CompletableFuture<Renewed> renewAll(long[] clients) {
        return calls.apply(LeaseCalls.renewAll(clients))
                .thenApply(LeaseCalls::readRenewed)
                .toCompletableFuture();
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
