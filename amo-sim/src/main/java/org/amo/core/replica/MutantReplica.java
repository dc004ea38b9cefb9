package org.amo.core.replica;

import org.amo.base.ClientId;
import org.amo.core.replica.OrderedEntry.Item;
import org.amo.core.reply.RecordMemory;
import org.amo.core.request.Request;
import org.amo.core.rules.SafetyRule;
import org.amo.core.rules.SafetyRules;
import org.amo.core.sack.FinishedNumbers;

/** A replica with planted bugs. It stands in the package of the replica, so that the rules need not be open to users. */
public final class MutantReplica extends Replica {
    private final ReplicaOptions options;
    private final SafetyRules rules;
    private long wallMillis;
    private long wallAtMillis;

    private MutantReplica(
            SafetyRules rules, ReplicaOptions options, ReplicaEffects effects, RecordMemory memory, SkipRule skipRule) {
        super(options, effects, memory, skipRule, records -> new MutantTable(rules, records));
        this.options = options;
        this.rules = rules;
    }

    /** Without a planted bug the replica is the one that is shipped. */
    public static Replica of(
            SafetyRules rules, ReplicaOptions options, ReplicaEffects effects, RecordMemory memory, SkipRule skipRule) {
        return rules.equals(SafetyRules.ALL)
                ? new Replica(options, effects, memory, skipRule)
                : new MutantReplica(rules, options, effects, memory, skipRule);
    }

    /** The same with the rule for skipped requests that is shipped. */
    public static Replica of(SafetyRules rules, ReplicaOptions options, ReplicaEffects effects, RecordMemory memory) {
        return of(rules, options, effects, memory, SkipRule.UNANIMOUS);
    }

    @Override
    public void onTick(long nowMillis, long wall) {
        wallMillis = wall;
        wallAtMillis = nowMillis;
        super.onTick(nowMillis, wall);
        if (!rules.holds(SafetyRule.EXPIRE_BY_ORDERED_TIME) && table().started()) {
            table().expireUntil(wall);
        }
    }

    @Override
    DecisionTable tableOfSnapshot(DecisionTable records) {
        if (rules.holds(SafetyRule.SNAPSHOT_HAS_CACHE)) {
            return super.tableOfSnapshot(records);
        }
        return new WithoutRecords(records);
    }

    @Override
    GroupParameters parametersOf(GroupParameters ofFirstEntry) {
        return rules.holds(SafetyRule.PARAMETERS_REPLICATED) ? super.parametersOf(ofFirstEntry) : options.parameters();
    }

    @Override
    Decision decide(Item item, Request request) {
        if (rules.holds(SafetyRule.REFUSED_CARRIER_COUNTS)) {
            return super.decide(item, request);
        }
        Decision decision = table().decide(request, item.principal());
        if (decision.refusal().isEmpty()) {
            table().finished(item.client(), item.finished());
        }
        return decision;
    }

    @Override
    boolean mayRefuse(PendingRequest waiting) {
        return !rules.holds(SafetyRule.REFUSE_AFTER_ALL_SUBMISSIONS) || super.mayRefuse(waiting);
    }

    @Override
    long stamp(long nowMillis) {
        return rules.holds(SafetyRule.GROUP_CLOCK) ? super.stamp(nowMillis) : wallMillis + nowMillis - wallAtMillis;
    }

    @Override
    FinishedNumbers carried(ClientId client, FinishedNumbers finished) {
        if (rules.holds(SafetyRule.SACK_IN_ORDER)) {
            return super.carried(client, finished);
        }
        if (table().started()) {
            table().finished(client, finished);
        }
        return FinishedNumbers.NONE;
    }
}
