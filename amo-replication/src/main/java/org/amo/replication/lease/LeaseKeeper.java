package org.amo.replication.lease;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.amo.linearizable.lease.LeaseAgent;
import org.amo.linearizable.lease.LeaseAgentEffects;
import org.amo.linearizable.lease.LeaseAnswer;
import org.amo.linearizable.lease.LeaseId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one lease: opens it, renews it at half of its term, and by itself if only a quarter is left; opens another when
 * it is lost. {@link LeaseAgent} decides.
 *
 * <p>The thread of {@code owner} owns it and hears the listener; all methods are for that thread. Nothing survives a crash.
 */
public final class LeaseKeeper {
    private static final Logger LOG = LoggerFactory.getLogger(LeaseKeeper.class);

    /** RAMCloud's. */
    public static final long DEFAULT_DANGER_MILLIS = 500;

    /** The client below asks other members by itself. */
    private static final long RETRY_MILLIS = 5_000;

    private static final long LOOK_MILLIS = 500;

    private final LeaseClient leases;
    private final ScheduledExecutorService owner;
    private final Listener listener;
    private final LeaseAgent agent;
    private boolean closed;

    /** Hears the events of the lease, in the owner's thread. */
    public interface Listener {
        /** There is a lease; calls may begin. */
        void onOpened(LeaseId client);

        /** The lease is over, and another one is requested. A call under it without an answer is unknown, for ever. */
        void onLost(LeaseId client);
    }

    /** @param dangerMillis see {@link LeaseAgent}; below half of a term */
    public LeaseKeeper(LeaseClient leases, long dangerMillis, ScheduledExecutorService owner, Listener listener) {
        this.leases = leases;
        this.owner = owner;
        this.listener = listener;
        this.agent = new LeaseAgent(dangerMillis, RETRY_MILLIS, new Asks());
    }

    /** Begins. */
    public void start() {
        agent.open(nowMillis());
        watch();
    }

    /** The lease as calls carry it, and whether they may be sent. */
    public LeaseAgent agent() {
        return agent;
    }

    /** Whether a call may be sent now. */
    public boolean mayCall() {
        return !closed && agent.mayCall(nowMillis());
    }

    /** Asks no more; the lease ends by itself. */
    public void close() {
        closed = true;
    }

    private void watch() {
        if (closed) {
            return;
        }
        agent.onTick(nowMillis());
        long wait = Math.max(1, Math.min(LOOK_MILLIS, agent.nextDeadline() - nowMillis()));
        Object unused = owner.schedule(this::watch, wait, TimeUnit.MILLISECONDS);
    }

    private static long nowMillis() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    private final class Asks implements LeaseAgentEffects {
        @Override
        public void open(long attempt) {
            tell(leases::open, attempt);
        }

        @Override
        public void renew(LeaseId client, long attempt) {
            boolean soon = agent.leftMillis(nowMillis()) < agent.termMillis() / 4;
            tell(() -> soon ? leases.renewAlone(client) : leases.renew(client), attempt);
        }

        /** One that fails, or cannot leave, is asked again when its time is up. */
        private void tell(Supplier<CompletableFuture<LeaseAnswer>> asks, long attempt) {
            Consumer<LeaseAnswer> inOwner = answer -> owner.execute(() -> agent.onAnswer(attempt, answer, nowMillis()));
            try {
                CompletableFuture<Void> unused = asks.get().thenAccept(inOwner);
            } catch (RuntimeException | Error e) {
                LOG.debug("a question about a lease could not leave", e);
            }
        }

        @Override
        public void onOpened(LeaseId client) {
            listener.onOpened(client);
        }

        @Override
        public void onLost(LeaseId client) {
            listener.onLost(client);
            // Not now: an effect must not call back.
            owner.execute(() -> {
                if (!closed) {
                    agent.open(nowMillis());
                }
            });
        }
    }
}
