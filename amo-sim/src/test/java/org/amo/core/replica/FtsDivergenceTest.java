package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.amo.sim.Faults;
import org.amo.sim.Seeds;
import org.amo.sim.SimOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Bugs in the search for a member whose executions have another result, in virtual time. The member is to be found and repaired, and
 * the group goes on: {@link FtsSimulationTest#noFaultBreaksARule}.
 */
class FtsDivergenceTest {
    @ParameterizedTest
    @EnumSource(value = DetectorBug.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aMutantIsFound(DetectorBug bug) {
        // The first seed that finds it; the others are found by the first three.
        long first = bug == DetectorBug.KEEPS_ANY_SNAPSHOT ? 32 : 1;
        Seeds.isFound("fts", bug.plant(), first);
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
