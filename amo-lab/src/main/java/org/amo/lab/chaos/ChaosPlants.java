package org.amo.lab.chaos;

import java.util.List;
import java.util.stream.Stream;
import org.amo.cli.CliException;
import org.amo.core.replica.MutantHooks;
import org.amo.core.rules.SafetyRule;

/** Lists the mutants for real replicas: missing safety rules that a run has found, reads that run too early, and a log that trusts its disk. */
final class ChaosPlants {
    /** Others change nothing that a run of a minute meets, or act in the simulator alone; {@code ./amo sim} has them. */
    private static final List<SafetyRule> RULES = List.of(
            SafetyRule.DECIDE_AT_DELIVERY,
            SafetyRule.SACK_IN_ORDER,
            SafetyRule.SACK_KEEPS_ID,
            SafetyRule.EXPIRE_BY_ORDERED_TIME,
            SafetyRule.NOTHING_LOCAL_IN_DECISIONS);

    private ChaosPlants() {}

    static List<String> names() {
        return Stream.concat(
                        RULES.stream().map(SafetyRule::plant),
                        Stream.of(MutantHooks.READ_BEFORE_APPLY, MutantHooks.DAMAGE_TAKEN_FOR_CRASH))
                .toList();
    }

    /** @throws CliException naming those that there are */
    static void check(String name) {
        if (!names().contains(name)) {
            throw CliException.user("no plant '" + name + "' for chaos; write one of " + String.join(", ", names()));
        }
    }
}
