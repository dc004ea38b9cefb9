package org.amo.core.replica;

import java.util.Optional;
import org.amo.core.reply.RecordMemory;

/** Makes the parts of a {@link Replica} that hold safety rules. A subclass may make others. */
class ReplicaParts {
    DecisionTable table(RecordMemory memory) {
        return new DecisionTable(memory);
    }

    GroupClock clock(int members) {
        return new GroupClock(members);
    }

    GroupLevel level(FeatureLevels spoken, ReplicaEffects effects) {
        return new GroupLevel(spoken, effects);
    }

    Waiters waiters(ReplicaEffects effects, GroupState group, PlainCalls plainCalls, ReplicaCounters counters) {
        return new Waiters(effects, group, plainCalls, counters);
    }

    /** The seed of the random numbers that the operations of an entry draw. */
    Optional<byte[]> seed(OrderedEntry entry) {
        return entry.seed();
    }

    DivergenceDetector detector(String self) {
        return new DivergenceDetector(self, MarkRule.MAJORITY);
    }

    OperationFacts facts(ReplicaOptions options, ReplicaEffects effects, GroupState group, ExecutionProgress progress) {
        return new OperationFacts(options, effects, group, progress);
    }

    OutcomeOrder outcomes(ReplicaOptions options, ReplicaEffects effects, GroupState group) {
        return new OutcomeOrder(options, effects, group, new UpdateChain());
    }

    ReplicaReads reads(ReplicaOptions options, ReplicaEffects effects, GroupState group) {
        return new ReplicaReads(options.incarnation(), effects, group);
    }
}
