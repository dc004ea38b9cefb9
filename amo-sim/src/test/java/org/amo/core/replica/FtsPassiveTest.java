package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.amo.sim.Faults;
import org.amo.sim.Planted;
import org.amo.sim.Seeds;
import org.amo.sim.SimOptions;
import org.amo.sim.SimResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Style passive in virtual time, with servants that no two members would run alike, and each of its rules taken out. */
class FtsPassiveTest {
    private static int seeds(Faults faults) {
        return switch (faults) {
            case NONE -> Seeds.many(5, 20);
            // One of these takes as long as three others.
            case DEFAULT -> Seeds.many(45, 200);
            case HARSH -> Seeds.many(60, 200);
        };
    }

    @ParameterizedTest
    @EnumSource(Faults.class)
    void eachCallHasOneOutcomeAndAllMembersTheSameState(Faults faults) {
        SimOptions options = SimOptions.of(faults).withPassive();
        long anew = 0;
        long skipped = 0;
        long undone = 0;
        for (long seed = 1; seed <= seeds(faults); seed++) {
            SimResult result = new FtsSimulation().run(options, seed);
            long failed = seed;
            assertEquals(
                    Optional.empty(),
                    result.violation().map(broken -> broken.rule() + ": " + broken.detail()),
                    () -> "seed " + failed);
            anew += result.faults().getOrDefault("worthlessState", 0L);
            skipped += result.faults().getOrDefault("requestSkipped", 0L);
            undone += result.faults().getOrDefault("runUndone", 0L);
        }
        System.out.println(faults + ": " + anew + " states of former primaries given up, " + skipped
                + " requests skipped, " + undone + " times a run undone at a member");
        if (faults != Faults.NONE) {
            assertTrue(anew > 5, "states given up: " + anew);
            assertTrue(skipped > 5, "requests skipped: " + skipped);
            assertTrue(undone > 5, "runs undone: " + undone);
        }
    }

    static List<FtsPassive.Mutant> mutants() {
        return Planted.all(FtsPassive.Mutant.values());
    }

    @ParameterizedTest
    @MethodSource("mutants")
    void aMutantIsFound(FtsPassive.Mutant mutant) {
        // The first seed that is known to find it; for the others the search begins at the first one.
        long first = mutant.plant().equals("second-update-wins") ? 27 : 1;
        Seeds.isFound("fts", mutant.plant(), first);
    }

    @Test
    void aSeedGivesTheSameRunAgain() {
        SimOptions options = SimOptions.of(Faults.HARSH).withPassive().withTrace();
        assertEquals(
                new FtsSimulation().run(options, 3).trace(),
                new FtsSimulation().run(options, 3).trace());
    }
}
