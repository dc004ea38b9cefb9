package org.amo.core.replica;

import java.util.List;

/**
 * The parts of the shipped replica, but every third outcome of several executions stands in several entries, and those of a run with several
 * builds need the level of the group.
 */
final class SmallEntries extends ReplicaParts {
    private static final int EVERY = 3;

    private final FtsLevels levels;

    SmallEntries(FtsLevels levels) {
        this.levels = levels;
    }

    @Override
    GroupLevel level(FeatureLevels spoken, ReplicaEffects effects) {
        return levels.level(spoken, effects);
    }

    @Override
    OutcomeOrder outcomes(ReplicaOptions options, ReplicaEffects effects, GroupState group) {
        return new OutcomeOrder(options, effects, group, new UpdateChain()) {
            @Override
            List<RunOutcome> split(RunOutcome whole) {
                return whole.first().position() % EVERY == 0
                        ? FtsPassive.cut(whole, options.incarnation())
                        : super.split(whole);
            }
        };
    }
}
