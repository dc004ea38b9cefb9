package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.amo.sim.Faults;
import org.amo.sim.Seeds;
import org.amo.sim.SimOptions;
import org.amo.sim.SimResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Executions with another result at one member, in virtual time: the member is found and repaired, and the group goes on. */
class FtsDivergenceTest {
    private static final int SEEDS = Seeds.many(300, 1_000);
    private static final int MUTANT_SEEDS = 1_000;

    @ParameterizedTest
    @EnumSource(
            value = Faults.class,
            names = {"DEFAULT", "HARSH"})
    void aDivergedMemberIsFoundAndRepairedAndNoOtherIsAccused(Faults faults) {
        SimOptions options = SimOptions.of(faults);
        long others = 0;
        long found = 0;
        long named = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            if (!isOn(seed, faults)) {
                continue;
            }
            SimResult result = new FtsSimulation().run(options, seed);
            long failed = seed;
            assertEquals(
                    Optional.empty(),
                    result.violation().map(broken -> broken.rule() + ": " + broken.detail()),
                    () -> "seed " + failed);
            others += result.faults().getOrDefault("otherResult", 0L);
            found += result.faults().getOrDefault("diverged", 0L);
            named += result.faults().getOrDefault("divergenceNamed", 0L);
        }
        System.out.println(faults + ": " + others + " other results, " + found + " verdicts, " + named + " named");
        assertTrue(found > 10, "verdicts: " + found);
        assertTrue(named > 5, "named: " + named);
    }

    @ParameterizedTest
    @EnumSource(value = DetectorBug.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aMutantIsFound(DetectorBug bug) {
        // The first seed that finds it; the others are found by the first three.
        long first = bug == DetectorBug.KEEPS_ANY_SNAPSHOT ? 32 : 1;
        SimOptions options = SimOptions.of(Faults.DEFAULT);
        Seeds.isFound(bug.name(), first, MUTANT_SEEDS, seed -> FtsSimulation.run(options, seed, bug));
    }

    @Test
    void whoDivergesIsDrawnFromTheSeed() {
        SimOptions options = SimOptions.of(Faults.HARSH).withTrace();
        long seed = 1;
        while (!isOn(seed, Faults.HARSH)) {
            seed++;
        }
        assertEquals(
                new FtsSimulation().run(options, seed).trace(),
                new FtsSimulation().run(options, seed).trace());
    }

    private static boolean isOn(long seed, Faults faults) {
        return FtsSimulation.divergence(
                        seed,
                        faults,
                        new FtsGreed(seed, faults, FtsGreed.Mutant.NONE),
                        new FtsPoison(seed, faults, FtsPoison.Mutant.NONE),
                        DetectorBug.NONE,
                        false)
                .isOn();
    }
}
