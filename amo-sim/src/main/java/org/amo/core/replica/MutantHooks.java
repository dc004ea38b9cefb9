package org.amo.core.replica;

import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.amo.core.order.LogTail;
import org.amo.core.reply.RecordMemory;
import org.amo.core.rules.SafetyRule;
import org.amo.sim.Planted;
import org.amo.sim.rules.RuleSet;

/**
 * Makes the replicas of a process with the planted bug that the system property {@code amo.plant} names. Without the property it
 * stands aside. A name that no bug has stops the replica from opening.
 */
public final class MutantHooks implements FaultHooks {
    /** A plant: a damaged end of the log is cut off as if a crash had torn it. */
    public static final String DAMAGE_TAKEN_FOR_CRASH = "damage-taken-for-crash";

    /** A plant: a read runs before the entries up to its read index. */
    public static final String READ_BEFORE_APPLY = FtsReads.Mutant.BEFORE_APPLY.plant();

    private static final System.Logger LOG = System.getLogger(MutantHooks.class.getName());

    private final RuleSet<SafetyRule> rules;
    private final boolean carelessLog;
    private final FtsReads.Mutant reads;

    /** For {@link java.util.ServiceLoader}. */
    public MutantHooks() {
        this(Optional.ofNullable(System.getProperty("amo.plant")).filter(name -> !name.isEmpty()));
    }

    MutantHooks(Optional<String> plant) {
        carelessLog = plant.filter(DAMAGE_TAKEN_FOR_CRASH::equals).isPresent();
        if (carelessLog) {
            tell(DAMAGE_TAKEN_FOR_CRASH, "a damaged end of the log is cut off as if a crash had torn it");
        }
        reads = plant.filter(READ_BEFORE_APPLY::equals).isPresent()
                ? FtsReads.Mutant.BEFORE_APPLY
                : FtsReads.Mutant.NONE;
        if (reads != FtsReads.Mutant.NONE) {
            tell(READ_BEFORE_APPLY, reads.bug().description());
        }
        rules = carelessLog || reads != FtsReads.Mutant.NONE
                ? RuleSet.all()
                : plant.map(MutantHooks::without).orElse(RuleSet.all());
    }

    @Override
    public Optional<Replica> replica(ReplicaOptions options, ReplicaEffects effects, RecordMemory memory) {
        return rules.allHold() && reads == FtsReads.Mutant.NONE
                ? Optional.empty()
                : Optional.of(MutantReplica.of(rules, options, effects, memory, reads));
    }

    @Override
    public Optional<LogTail> tail() {
        return carelessLog ? Optional.of(new CarelessTail()) : Optional.empty();
    }

    /** Takes any end of a log for one that a crash has torn. */
    static final class CarelessTail extends LogTail {
        @Override
        public OptionalLong lostUpTo(Found found) {
            return OptionalLong.empty();
        }
    }

    private static RuleSet<SafetyRule> without(String plant) {
        SafetyRule rule = Planted.find(SafetyRule.values(), Optional.of(plant))
                .orElseThrow(() -> new IllegalArgumentException("no plant '" + plant + "'; there are "
                        + Arrays.stream(SafetyRule.values())
                                .map(SafetyRule::plant)
                                .collect(Collectors.joining(", "))));
        tell(plant, rule.bug().description());
        return RuleSet.without(rule);
    }

    private static void tell(String plant, String description) {
        LOG.log(
                System.Logger.Level.ERROR,
                "THIS REPLICA IS BROKEN ON PURPOSE (-Damo.plant={0}): {1}. It must serve no user",
                plant,
                description);
    }
}
