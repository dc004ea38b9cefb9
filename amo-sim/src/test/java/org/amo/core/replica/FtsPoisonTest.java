package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.Optional;
import org.amo.core.replica.FtsPoison.Mutant;
import org.amo.sim.Faults;
import org.amo.sim.Seeds;
import org.amo.sim.SimOptions;
import org.amo.sim.SimResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Requests that end members, in virtual time: the verdict of the group, and what goes wrong without its rules. */
class FtsPoisonTest {
    private static final int SEEDS = Seeds.many(150, 1_000);
    private static final int MUTANT_SEEDS = 1_000;

    /** The first seeds that find a mutant (docs/protocols/simulation.md), where they are late; else the search begins at 1. */
    private static final Map<Mutant, Long> FIRST_SEEDS = Map.of(
            Mutant.WITHOUT_THOSE_THAT_EXECUTED_IT, 6L,
            Mutant.WITHOUT_THOSE_THAT_ARE_BLOCKED, 372L,
            Mutant.FORGETS_WHAT_IT_RAN, 372L);

    @ParameterizedTest
    @EnumSource(
            value = Faults.class,
            names = {"DEFAULT", "HARSH"})
    void aRequestThatEndsMembersIsSkippedOrRunEverywhereAndTheGroupGoesOn(Faults faults) {
        SimOptions options = SimOptions.of(faults);
        long skipped = 0;
        long ends = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            if (!new FtsPoison(seed, faults, Mutant.NONE).isOn()) {
                continue;
            }
            SimResult result = FtsSimulation.run(options, seed, Mutant.NONE);
            long failed = seed;
            assertEquals(
                    Optional.empty(),
                    result.violation().map(broken -> broken.rule() + ": " + broken.detail()),
                    () -> "seed " + failed);
            ends += result.faults().getOrDefault("memberEnds", 0L);
            skipped += result.faults().getOrDefault("requestSkipped", 0L);
        }
        System.out.println(faults + ": members ended " + ends + " times, " + skipped + " requests skipped at a member");
        assertTrue(ends > 100, "members ended: " + ends);
        assertTrue(skipped > 20, "requests skipped: " + skipped);
    }

    @ParameterizedTest
    @EnumSource(
            value = Mutant.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"NONE", "NONE_WHEN_POWER_IS_CUT"})
    void aMutantIsFound(Mutant mutant) {
        long first = FIRST_SEEDS.getOrDefault(mutant, 1L);
        SimOptions options = SimOptions.of(Faults.DEFAULT);
        Seeds.isFound(mutant.name(), first, MUTANT_SEEDS, seed -> FtsSimulation.run(options, seed, mutant));
    }

    /** The runs that find the mutant about old notes, without the mutant. */
    @Test
    void aLossOfPowerBehindARequestThatEndsTheOthersBreaksNoRule() {
        long cuts = 0;
        for (long seed = 1; seed <= Seeds.many(20, 1_000); seed++) {
            SimResult result =
                    FtsSimulation.run(SimOptions.of(Faults.DEFAULT), seed, Mutant.NONE_WHEN_POWER_IS_CUT);
            long failed = seed;
            assertEquals(
                    Optional.empty(),
                    result.violation().map(broken -> broken.rule() + ": " + broken.detail()),
                    () -> "seed " + failed);
            cuts += result.faults().getOrDefault("powerCut", 0L);
        }
        assertTrue(cuts > 5, "cuts: " + cuts);
    }

    @Test
    void whoEndsIsDrawnFromTheSeed() {
        SimOptions options = SimOptions.of(Faults.HARSH).withTrace();
        assertEquals(
                FtsSimulation.run(options, 3, Mutant.NONE).trace(),
                FtsSimulation.run(options, 3, Mutant.NONE).trace());
    }
}
