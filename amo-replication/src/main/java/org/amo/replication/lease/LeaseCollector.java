package org.amo.replication.lease;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.amo.base.wire.WireReader;
import org.amo.linearizable.lease.LeaseAnswer;
import org.amo.linearizable.lease.LeaseId;
import org.amo.linearizable.lease.RenewalCollector;
import org.amo.linearizable.lease.RenewalCollectorEffects;
import org.amo.linearizable.lease.Renewed;
import org.amo.replication.rpc.RpcQuestions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes renewals as questions to one member of a group of {@link LeaseService}s and has the group order many of them in
 * one entry: for {@link org.amo.replication.service.AmoReplica.Builder#questions}. {@link RenewalCollector} decides.
 *
 * <p>The thread of the member's connections owns it. Nothing survives a crash: clients ask again.
 */
public final class LeaseCollector implements RpcQuestions {
    private static final Logger LOG = LoggerFactory.getLogger(LeaseCollector.class);

    private static final long MOST_GATHER_MILLIS = 200;
    private static final int MOST_IN_A_BATCH = 1_024;
    private static final int MOST_WAITING = 65_536;

    private final LeaseClient order;
    private final RenewalCollector<Consumer<Optional<byte[]>>> core;
    private Optional<ScheduledExecutorService> owner = Optional.empty();

    /**
     * @param termMillis of the group's leases
     * @param order asks the same group; it may connect when it is first used
     */
    public LeaseCollector(long termMillis, LeaseClient order) {
        this.order = order;
        this.core = new RenewalCollector<>(gatherMillis(termMillis), MOST_IN_A_BATCH, MOST_WAITING, new Effects());
    }

    /** How long a renewal waits for others: 200 ms, or a 64th of a term if that is less. */
    public static long gatherMillis(long termMillis) {
        return Math.max(1, Math.min(MOST_GATHER_MILLIS, termMillis / 64));
    }

    @Override
    public void onStart(ScheduledExecutorService thread) {
        owner = Optional.of(thread);
    }

    @Override
    public void onQuestion(byte[] question, Consumer<Optional<byte[]>> answer) {
        WireReader reader = new WireReader("renewal", question);
        int kind = reader.u8("kind");
        if (kind != LeaseCalls.RENEW) {
            throw reader.malformed("kind", kind);
        }
        LeaseId client = LeaseCalls.readClient(reader);
        reader.end();
        long before = core.nextDeadline();
        if (!core.onRenewal(answer, client, nowMillis())) {
            answer.accept(Optional.empty());
        }
        long due = core.nextDeadline();
        if (due < before) {
            Object unused = owner.orElseThrow()
                    .schedule(() -> core.onTick(nowMillis()), Math.max(1, due - nowMillis()), TimeUnit.MILLISECONDS);
        }
    }

    private static long nowMillis() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    private void inOwner(Runnable task) {
        try {
            owner.orElseThrow().execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("renewals came back to a member that has stopped");
        }
    }

    private final class Effects implements RenewalCollectorEffects<Consumer<Optional<byte[]>>> {
        @Override
        public void order(long batch, long[] clients) {
            CompletableFuture<Renewed> unused = asked(clients).whenComplete((renewed, why) -> {
                if (why != null) {
                    LOG.debug("{} renewals have no answer of the group", clients.length, why);
                    inOwner(() -> core.onFailed(batch));
                } else {
                    inOwner(() -> core.onOrdered(batch, renewed));
                }
            });
        }

        /** A batch that cannot leave fails as any other does: else its askers would wait, and keep their places, for ever. */
        private CompletableFuture<Renewed> asked(long[] clients) {
            try {
                return order.renewAll(clients);
            } catch (RuntimeException | Error e) {
                return CompletableFuture.failedFuture(e);
            }
        }

        @Override
        public void answer(Consumer<Optional<byte[]>> asker, LeaseAnswer answer) {
            asker.accept(Optional.of(LeaseCalls.answer(answer)));
        }

        @Override
        public void unanswered(Consumer<Optional<byte[]>> asker) {
            asker.accept(Optional.empty());
        }
    }
}
