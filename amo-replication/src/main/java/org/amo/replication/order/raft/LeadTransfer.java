package org.amo.replication.order.raft;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.amo.core.order.OrderedLogException;
import org.amo.core.order.OrderedLogException.Fault;

/**
 * Hands the lead over to another member (Ongaro's thesis, section 3.10): this leader appends nothing more until the other member has its whole
 * log, and then has the members elect that one. Submissions are rejected meanwhile, so they go again to the next leader. The election is as any other: it
 * elects only a member with the longest log, so a transfer that fails leaves a leader, and no entry is lost.
 *
 * <p>One thread owns it, but for {@link #isUnderWay}.
 */
final class LeadTransfer {
    /** A member that lags by more than it can take in this time gets no lead. */
    private static final long CATCH_UP_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** From the election to the word of a leader: a member that does not answer delays the votes by 0.6 s. */
    private static final long ELECTION_NANOS = TimeUnit.SECONDS.toNanos(4);

    /** The actions that it asks for. */
    interface Effects {
        boolean leads();

        /** The leader that this member knows; empty for none. */
        String leader();

        /** Tells, in the owner, whether that member is known to have each entry of this log. */
        void isCaughtUp(String member, Consumer<Boolean> told);

        /** Steps down and gathers votes, for that member if no log is longer. */
        void elect(String member);

        /** Runs the task in the owner, some milliseconds from now. */
        void later(Runnable task);
    }

    private final String self;
    private final Effects effects;
    private final LongSupplier nanos;
    private volatile Optional<CompletableFuture<Void>> open = Optional.empty();

    LeadTransfer(String self, Effects effects, LongSupplier nanos) {
        this.self = self;
        this.effects = effects;
        this.nanos = nanos;
    }

    /** Whether this leader appends nothing for now. Any thread. */
    boolean isUnderWay() {
        return open.isPresent();
    }

    /**
     * Has that member lead.
     *
     * @param reached whether it is in this member's view
     * @return done once it leads; or an {@link OrderedLogException} that gives the reason
     */
    CompletableFuture<Void> to(String member, Configuration now, boolean reached) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        if (isUnderWay()) {
            refuse(done, Fault.ENVIRONMENT, "another change of the leader is in progress; try again when it has ended");
        } else if (!now.has(member)) {
            refuse(done, Fault.USER, "there is no member '" + member + "' in " + now.ids());
        } else if (!effects.leads()) {
            refuse(done, Fault.ENVIRONMENT, "this member does not lead; ask the leader");
        } else if (member.equals(self)) {
            done.complete(null);
        } else if (reached) {
            open = Optional.of(done);
            awaitLog(member, done, nanos.getAsLong() + CATCH_UP_NANOS);
        } else {
            refuse(done, Fault.ENVIRONMENT, "member '" + member + "' cannot be reached; start it first");
        }
        return done;
    }

    private static void refuse(CompletableFuture<Void> done, Fault fault, String why) {
        done.completeExceptionally(new OrderedLogException(fault, why));
    }

    private void awaitLog(String member, CompletableFuture<Void> done, long untilNanos) {
        if (!effects.leads()) {
            fail(done, "this member does not lead any more; ask the leader");
            return;
        }
        effects.isCaughtUp(member, caughtUp -> {
            if (caughtUp) {
                effects.elect(member);
                awaitLead(member, done, nanos.getAsLong() + ELECTION_NANOS);
            } else if (nanos.getAsLong() - untilNanos > 0) {
                fail(
                        done,
                        "member '" + member + "' lags; wait until its position in ./amo status is that of the leader");
            } else {
                effects.later(() -> awaitLog(member, done, untilNanos));
            }
        });
    }

    private void awaitLead(String member, CompletableFuture<Void> done, long untilNanos) {
        String leader = effects.leader();
        if (leader.equals(member)) {
            open = Optional.empty();
            done.complete(null);
        } else if (!leader.isEmpty() || nanos.getAsLong() - untilNanos > 0) {
            fail(done, "the members elected " + (leader.isEmpty() ? "no leader yet" : leader) + "; try again");
        } else {
            effects.later(() -> awaitLead(member, done, untilNanos));
        }
    }

    private void fail(CompletableFuture<Void> done, String why) {
        open = Optional.empty();
        refuse(done, Fault.ENVIRONMENT, why);
    }
}
