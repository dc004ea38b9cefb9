package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
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
    /** The first seeds that find a mutant (docs/protocols/simulation.md), where it is not 1. */
    private static final Map<String, Long> FIRST_SEEDS = Map.of(
            "second-update-wins", 27L,
            "chain-lost-from-snapshot", 2L,
            "part-of-dead-primary-counts", 5L,
            "pieces-lost-from-snapshot", 3L);

    /** In a build the first ones, and of the next ones those in which some requests end members: these are what is skipped. */
    private static LongStream seeds(Faults faults) {
        return switch (faults) {
            case NONE -> LongStream.rangeClosed(1, Seeds.many(2, 20));
            case DEFAULT -> Seeds.firstAndRare(5, 45, seed -> FtsPoisonTest.isOn(seed, faults), 200);
            case HARSH -> Seeds.firstAndRare(5, 60, seed -> FtsPoisonTest.isOn(seed, faults), 200);
        };
    }

    @ParameterizedTest
    @EnumSource(Faults.class)
    void eachCallHasOneOutcomeAndAllMembersTheSameState(Faults faults) {
        SimOptions options = SimOptions.of(faults).withPassive();
        long anew = 0;
        long skipped = 0;
        long undone = 0;
        for (long seed : seeds(faults).toArray()) {
            SimResult result = new FtsSimulation().run(options, seed);
            assertEquals(
                    Optional.empty(),
                    result.violation().map(broken -> broken.rule() + ": " + broken.detail()),
                    () -> "seed " + seed);
            anew += result.faults().getOrDefault("worthlessState", 0L);
            skipped += result.faults().getOrDefault("requestSkipped", 0L);
            undone += result.faults().getOrDefault("runUndone", 0L);
        }
        System.out.println(faults + ": " + anew + " states of former primaries given up, " + skipped
                + " requests skipped, " + undone + " times a run undone at a member");
        if (faults != Faults.NONE) {
            // Few seeds have some.
            assertTrue(anew >= Seeds.many(0, 1), "states given up: " + anew);
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
        Seeds.isFound("fts", mutant.plant(), FIRST_SEEDS.getOrDefault(mutant.plant(), 1L));
    }

    @Test
    void aSeedGivesTheSameRunAgain() {
        SimOptions options = SimOptions.of(Faults.HARSH).withPassive().withTrace();
        assertEquals(
                new FtsSimulation().run(options, 3).trace(),
                new FtsSimulation().run(options, 3).trace());
    }
}
