package org.amo.core.replica;

import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.amo.core.reply.RecordMemory;
import org.amo.core.request.Request;
import org.amo.core.rules.SafetyRule;
import org.amo.sim.rules.RuleSet;

/** The parts of a replica with planted bugs. */
final class MutantReplicaParts extends ReplicaParts {
    private final RuleSet<SafetyRule> rules;
    private final GroupParameters ownParameters;
    private final DetectorBug detectorBug;
    private final SplittableRandom random;
    private final NestedBug nestedBug;
    private final FtsPassive.Mutant passive;
    private final FtsReads.Mutant reads;
    private final FtsLevels levels;
    private Optional<DecisionTable> table = Optional.empty();
    private BiConsumer<Request, byte[]> answers = (request, reply) -> {};
    private long wallMillis;
    private long wallAtMillis;

    MutantReplicaParts(
            RuleSet<SafetyRule> rules,
            ReplicaOptions options,
            DetectorBug detectorBug,
            NestedBug nestedBug,
            FtsPassive.Mutant passive,
            FtsReads.Mutant reads,
            FtsLevels levels) {
        this.reads = reads;
        this.levels = levels;
        this.nestedBug = nestedBug;
        this.rules = rules;
        this.ownParameters = options.parameters();
        this.random = new SplittableRandom(options.incarnation());
        this.detectorBug = detectorBug;
        this.passive = passive;
    }

    FtsPassive.Mutant passive() {
        return passive;
    }

    @Override
    OutcomeOrder outcomes(ReplicaOptions options, ReplicaEffects effects, GroupState group) {
        return new OutcomeOrder(options, effects, group, passive.chain()) {
            @Override
            boolean mayOrder(boolean leads, boolean asked) {
                return super.mayOrder(leads, asked) || passive.insists();
            }

            @Override
            Optional<Accepted> onDelivered(OrderedEntry entry, boolean own, Predicate<Place> skipped, long nowMillis) {
                return super.onDelivered(entry, own, skipped, nowMillis).map(passive::taken);
            }

            @Override
            List<RunOutcome> split(RunOutcome whole) {
                return passive.cuts() ? FtsPassive.cut(whole, options.incarnation()) : super.split(whole);
            }
        };
    }

    @Override
    GroupLevel level(FeatureLevels spoken, ReplicaEffects effects) {
        return levels.level(spoken, effects);
    }

    @Override
    ReplicaReads reads(ReplicaOptions options, ReplicaEffects effects, GroupState group) {
        return reads.reads(options, effects, group);
    }

    @Override
    Optional<byte[]> seed(OrderedEntry entry) {
        if (rules.holds(SafetyRule.DRAWS_IN_ORDER)) {
            return super.seed(entry);
        }
        return super.seed(entry).map(carried -> {
            byte[] drawnHere = new byte[carried.length];
            random.nextBytes(drawnHere);
            return drawnHere;
        });
    }

    @Override
    DivergenceDetector detector(String self) {
        return new MutantDetector(self, detectorBug);
    }

    @Override
    OperationFacts facts(ReplicaOptions options, ReplicaEffects effects, GroupState group, ExecutionProgress progress) {
        return nestedBug == NestedBug.NONE
                ? super.facts(options, effects, group, progress)
                : new MutantFacts(options, effects, group, progress, nestedBug);
    }

    /** This machine's wall clock. */
    void onWall(long nowMillis, long wall) {
        wallMillis = wall;
        wallAtMillis = nowMillis;
    }

    /** The reply goes to all attempts that wait for it. */
    void answer(Request request, byte[] reply) {
        answers.accept(request, reply);
    }

    /** The one that was made last. */
    DecisionTable table() {
        return table.orElseThrow();
    }

    @Override
    DecisionTable table(RecordMemory memory) {
        DecisionTable made = new MutantTable(rules, memory, ownParameters);
        table = Optional.of(made);
        return made;
    }

    @Override
    GroupClock clock(int members) {
        return rules.holds(SafetyRule.GROUP_CLOCK)
                ? super.clock(members)
                : new GroupClock(members) {
                    @Override
                    long stamp(long nowMillis) {
                        return wallMillis + nowMillis - wallAtMillis;
                    }
                };
    }

    @Override
    Waiters waiters(ReplicaEffects effects, GroupState group, PlainCalls plainCalls, ReplicaCounters counters) {
        Waiters made = rules.holds(SafetyRule.REFUSE_AFTER_ALL_SUBMISSIONS)
                ? super.waiters(effects, group, plainCalls, counters)
                : new Waiters(effects, group, plainCalls, counters) {
                    @Override
                    boolean mayRefuse(PendingRequest waiting) {
                        return true;
                    }
                };
        answers = (request, reply) -> {
            if (group.isCaughtUp()) {
                made.onExecuted(request, reply);
            }
        };
        return made;
    }
}
