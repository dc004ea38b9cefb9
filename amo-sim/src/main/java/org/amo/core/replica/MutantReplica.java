package org.amo.core.replica;

import java.util.List;
import org.amo.base.ClientId;
import org.amo.core.replica.ReplicatedService.Arrival;
import org.amo.core.reply.RecordMemory;
import org.amo.core.rules.SafetyRule;
import org.amo.core.sack.FinishedNumbers;
import org.amo.sim.rules.RuleSet;

/** A replica with planted bugs. It stands in the package of the replica, so that the rules need not be open to users. */
final class MutantReplica extends Replica {
    private final RuleSet<SafetyRule> rules;
    private final MutantReplicaParts parts;

    private MutantReplica(
            RuleSet<SafetyRule> rules,
            ReplicaOptions options,
            ReplicaEffects effects,
            RecordMemory memory,
            SkipRule skipRule,
            MutantReplicaParts parts) {
        super(options, effects, memory, skipRule, parts);
        this.rules = rules;
        this.parts = parts;
    }

    /** Without a planted bug the replica is the one that is shipped, but for the length of an entry. */
    static Replica of(
            RuleSet<SafetyRule> rules,
            ReplicaOptions options,
            ReplicaEffects effects,
            RecordMemory memory,
            SkipRule skipRule,
            DetectorBug detectorBug,
            NestedBug nestedBug,
            FtsPassive.Mutant passive,
            FtsReads.Mutant reads,
            FtsLevels levels) {
        return rules.allHold()
                        && detectorBug == DetectorBug.NONE
                        && nestedBug == NestedBug.NONE
                        && passive == FtsPassive.Mutant.NONE
                        && reads == FtsReads.Mutant.NONE
                        && !levels.isBroken()
                ? new Replica(options, effects, memory, skipRule, new SmallEntries(levels))
                : new MutantReplica(
                        rules,
                        options,
                        effects,
                        memory,
                        skipRule,
                        new MutantReplicaParts(rules, options, detectorBug, nestedBug, passive, reads, levels));
    }

    /** The same with the rule for skipped requests that is shipped. */
    static Replica of(
            RuleSet<SafetyRule> rules,
            ReplicaOptions options,
            ReplicaEffects effects,
            RecordMemory memory,
            FtsReads.Mutant reads) {
        return of(
                rules,
                options,
                effects,
                memory,
                SkipRule.UNANIMOUS,
                DetectorBug.NONE,
                NestedBug.NONE,
                FtsPassive.Mutant.NONE,
                reads,
                FtsLevels.NONE);
    }

    @Override
    public void onTick(long nowMillis, long wall) {
        parts.onWall(nowMillis, wall);
        super.onTick(nowMillis, wall);
        if (!rules.holds(SafetyRule.EXPIRE_BY_ORDERED_TIME) && parts.table().started()) {
            parts.table().expireUntil(wall);
        }
    }

    @Override
    public void onCopies(List<Arrival> copies, long nowMillis) {
        super.onCopies(
                copies.stream()
                        .map(copy -> new Arrival(
                                copy.request(),
                                carried(copy.request().id().client(), copy.finished()),
                                copy.principal(),
                                copy.listener()))
                        .toList(),
                nowMillis);
    }

    @Override
    public void onFinished(ClientId client, FinishedNumbers finished, long nowMillis) {
        super.onFinished(client, carried(client, finished), nowMillis);
    }

    @Override
    public void onRun(List<Execution> executions, List<byte[]> replies, byte[] update, long nowMillis) {
        super.onRun(executions, replies, update, nowMillis);
        if (parts.passive() == FtsPassive.Mutant.REPLY_BEFORE_OUTCOME) {
            for (int i = 0; i < executions.size(); i++) {
                parts.answer(executions.get(i).request(), replies.get(i));
            }
            super.onExecuted(List.of(), List.of(), nowMillis);
        }
    }

    /** The acknowledgements that go into the order. */
    private FinishedNumbers carried(ClientId client, FinishedNumbers finished) {
        if (rules.holds(SafetyRule.SACK_IN_ORDER)) {
            return finished;
        }
        if (parts.table().started()) {
            parts.table().finished(client, finished);
        }
        return FinishedNumbers.NONE;
    }
}
