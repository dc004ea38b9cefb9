package org.amo.sim.lease;

import java.util.List;
import org.amo.base.wire.WireReader;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.lease.LeaseAnswer;
import org.amo.linearizable.lease.LeaseAuthority;
import org.amo.linearizable.lease.LeaseId;
import org.amo.linearizable.lease.LeaseValidator;
import org.amo.linearizable.lease.RenewalCollector;
import org.amo.linearizable.lease.RenewalCollectorEffects;
import org.amo.linearizable.lease.Renewed;
import org.amo.linearizable.rpclog.KeyRange;
import org.amo.linearizable.rpclog.PendingRemovals;
import org.amo.linearizable.rpclog.RangeRecovery;
import org.amo.linearizable.rpclog.RpcHeader;
import org.amo.linearizable.rpclog.RpcId;
import org.amo.linearizable.rpclog.RpcLogBatch;
import org.amo.linearizable.rpclog.RpcLogEffects;
import org.amo.linearizable.rpclog.RpcLogOptions;
import org.amo.linearizable.rpclog.RpcRecord;
import org.amo.linearizable.rpclog.RpcTracker;
import org.amo.linearizable.rpclog.RpcVerdict;
import org.amo.linearizable.rpclog.UnackedRpcResults;
import org.amo.sim.rules.RuleSet;

/**
 * The parts of linearizable RPC as a run wants them: sound, or a subclass with the planted bug. Bugs of the parts around them, which
 * are simulated, are in those.
 */
final class LeaseMutants {
    private LeaseMutants() {}

    static LeaseAuthority authority(RuleSet<LeaseRule> rules, long termMillis, int maxLeases) {
        return rules.holds(LeaseRule.TIME_NEVER_FALLS)
                ? new LeaseAuthority(termMillis, maxLeases)
                : new FallingAuthority(termMillis, maxLeases);
    }

    /** An authority from its snapshot. */
    static LeaseAuthority authority(RuleSet<LeaseRule> rules, WireReader snapshot) {
        return rules.holds(LeaseRule.TIME_NEVER_FALLS)
                ? LeaseAuthority.read(snapshot)
                : FallingAuthority.readFalling(snapshot);
    }

    static LeaseValidator validator(RuleSet<LeaseRule> rules) {
        if (!rules.holds(LeaseRule.TIME_IS_LEARNED)) {
            return new HastyValidator(true);
        }
        return rules.holds(LeaseRule.TIME_IS_LEARNED_ANEW) ? new LeaseValidator() : new HastyValidator(false);
    }

    static <A> RenewalCollector<A> collector(
            RuleSet<LeaseRule> rules,
            long gatherMillis,
            int mostInABatch,
            int mostWaiting,
            RenewalCollectorEffects<A> effects) {
        if (!rules.holds(LeaseRule.RENEWAL_IS_ORDERED)) {
            return new HastyCollector<>(gatherMillis, mostInABatch, mostWaiting, effects);
        }
        return rules.holds(LeaseRule.EACH_RENEWAL_IS_JUDGED)
                ? new RenewalCollector<>(gatherMillis, mostInABatch, mostWaiting, effects)
                : new CarelessCollector<>(gatherMillis, mostInABatch, mostWaiting, effects);
    }

    static PendingRemovals removals(RuleSet<LeaseRule> rules) {
        return rules.holds(LeaseRule.BOUND_BEFORE_REMOVAL) ? new PendingRemovals() : new UnboundedRemovals();
    }

    static RangeRecovery recovery(RuleSet<LeaseRule> rules, List<KeyRange> ranges) {
        return rules.holds(LeaseRule.BOUND_FOLLOWS_EVERY_RANGE)
                ? new RangeRecovery(ranges)
                : new NarrowRecovery(ranges);
    }

    static RpcTracker tracker(RuleSet<LeaseRule> rules, LeaseId client, int window) {
        return rules.holds(LeaseRule.ACK_BELOW_UNANSWERED)
                ? new RpcTracker(client, window)
                : new HastyTracker(client, window);
    }

    static UnackedRpcResults results(
            RuleSet<LeaseRule> rules, LeaseValidator lease, RpcLogOptions options, RpcLogEffects effects) {
        if (!rules.holds(LeaseRule.ACK_IS_INCLUSIVE)) {
            return new OffByOneResults(lease, options, effects);
        }
        return rules.holds(LeaseRule.RUNNING_IS_RETRIED_LATER)
                ? new UnackedRpcResults(lease, options, effects)
                : new ImpatientResults(lease, options, effects);
    }

    /** Takes the time of each stamp, also of one that is behind. */
    private static final class FallingAuthority extends LeaseAuthority {
        FallingAuthority(long termMillis, int maxLeases) {
            super(termMillis, maxLeases);
        }

        static LeaseAuthority readFalling(WireReader snapshot) {
            return read(snapshot, FallingAuthority::new);
        }

        @Override
        protected ClusterTime raised(ClusterTime before, ClusterTime stamp) {
            return stamp;
        }
    }

    /** Does not wait for the authority's time: at the start, or after a range was taken over. */
    private static final class HastyValidator extends LeaseValidator {
        private final boolean atStart;
        private boolean started;

        HastyValidator(boolean atStart) {
            this.atStart = atStart;
        }

        @Override
        public long mustLearn() {
            long question = super.mustLearn();
            if (started != atStart) {
                onLearned(question, now());
            }
            started = true;
            return question;
        }
    }

    /** Confirms a renewal when it is collected, with the outcome of the last batch. */
    private static final class HastyCollector<A> extends RenewalCollector<A> {
        private final RenewalCollectorEffects<A> effects;
        private Renewed last = new Renewed(ClusterTime.ZERO, ClusterTime.ZERO, new long[0]);

        HastyCollector(long gatherMillis, int mostInABatch, int mostWaiting, RenewalCollectorEffects<A> effects) {
            super(gatherMillis, mostInABatch, mostWaiting, effects);
            this.effects = effects;
        }

        @Override
        public boolean onRenewal(A asker, LeaseId client, long nowMillis) {
            boolean taken = super.onRenewal(asker, client, nowMillis);
            if (taken) {
                effects.answer(asker, new LeaseAnswer(LeaseAnswer.Status.LIVE, client, last.expires(), last.now()));
            }
            return taken;
        }

        @Override
        public void onOrdered(long batch, Renewed renewed) {
            last = renewed;
            super.onOrdered(batch, renewed);
        }
    }

    /** Takes no renewal of a batch for ended. */
    private static final class CarelessCollector<A> extends RenewalCollector<A> {
        CarelessCollector(long gatherMillis, int mostInABatch, int mostWaiting, RenewalCollectorEffects<A> effects) {
            super(gatherMillis, mostInABatch, mostWaiting, effects);
        }

        @Override
        public void onOrdered(long batch, Renewed renewed) {
            super.onOrdered(batch, new Renewed(renewed.expires(), renewed.now(), new long[0]));
        }
    }

    /** Removes records and writes no bound. */
    private static final class UnboundedRemovals extends PendingRemovals {
        @Override
        public void addTo(RpcLogBatch batch, Iterable<RpcRecord> written, UnackedRpcResults table) {
            super.addTo(new WithoutBounds(batch), written, table);
        }
    }

    private record WithoutBounds(RpcLogBatch batch) implements RpcLogBatch {
        @Override
        public void putRecord(RpcRecord record) {
            batch.putRecord(record);
        }

        @Override
        public void putBound(LeaseId client, long ackId) {
            // The planted bug.
        }

        @Override
        public void removeRecord(RpcId id) {
            batch.removeRecord(id);
        }

        @Override
        public void removeClient(LeaseId client) {
            batch.removeClient(client);
        }
    }

    /** Looks at the recovered ranges only. */
    private static final class NarrowRecovery extends RangeRecovery {
        NarrowRecovery(List<KeyRange> ranges) {
            super(ranges);
        }

        @Override
        public void onRecord(RpcRecord record) {
            if (isMine(record.table(), record.keyHash())) {
                super.onRecord(record);
            }
        }

        @Override
        public void onBound(LeaseId client, long ackId) {
            // The planted bug.
        }
    }

    /** Acknowledges the highest number that is answered, and with it all below. */
    private static final class HastyTracker extends RpcTracker {
        private long highest;

        HastyTracker(LeaseId client, int window) {
            super(client, window);
        }

        @Override
        public synchronized void finish(long number) {
            super.finish(number);
            highest = Math.max(highest, number);
        }

        @Override
        public synchronized long ackId() {
            return highest;
        }

        @Override
        public synchronized RpcHeader header(long number, ClusterTime leaseExpires, ClusterTime clusterTime) {
            RpcHeader sound = super.header(number, leaseExpires, clusterTime);
            return new RpcHeader(sound.id(), Math.min(highest, number - 1), leaseExpires, clusterTime);
        }
    }

    /** Reads an ackId as the first number that is not acknowledged yet, minus one. */
    private static final class OffByOneResults extends UnackedRpcResults {
        OffByOneResults(LeaseValidator lease, RpcLogOptions options, RpcLogEffects effects) {
            super(lease, options, effects);
        }

        @Override
        protected long ackOf(RpcHeader header) {
            return header.ackId() + 1;
        }
    }

    /** Executes a retry of a call beside the call. */
    private static final class ImpatientResults extends UnackedRpcResults {
        ImpatientResults(LeaseValidator lease, RpcLogOptions options, RpcLogEffects effects) {
            super(lease, options, effects);
        }

        @Override
        public RpcVerdict start(RpcHeader header) {
            return executed(super.start(header));
        }

        @Override
        public RpcVerdict start(RpcHeader header, LeaseAnswer answer) {
            return executed(super.start(header, answer));
        }

        private static RpcVerdict executed(RpcVerdict verdict) {
            return verdict == RpcVerdict.RETRY_LATER ? RpcVerdict.EXECUTE : verdict;
        }
    }
}
