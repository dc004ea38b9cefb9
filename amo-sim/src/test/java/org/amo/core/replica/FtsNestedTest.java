package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.amo.sim.Faults;
import org.amo.sim.Planted;
import org.amo.sim.Seeds;
import org.amo.sim.SimOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Bugs in the calls of operations to two other servers, in virtual time. Each call is to run there once at most, and all members take the
 * same result: {@link FtsSimulationTest#noFaultBreaksARule}.
 */
class FtsNestedTest {
    /** The first seeds that find a plant (docs/protocols/simulation.md), where they are late; else the search begins at 1. */
    private static final Map<String, Long> FIRST_SEEDS = Map.of(
            "nested-result-taken-locally", 19L,
            "nested-call-before-claim", 4L,
            "nested-call-repeated", 26L);

    @ParameterizedTest
    @MethodSource("bugs")
    void aMutantIsFoundWithTheDefaultFaults(NestedBug bug) {
        Seeds.isFound("fts", bug.plant(), FIRST_SEEDS.getOrDefault(bug.plant(), 1L));
    }

    static List<NestedBug> bugs() {
        return Planted.all(NestedBug.values());
    }

    @Test
    void nestedCallsAreDrawnFromTheSeed() {
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
        FtsGreed greed = new FtsGreed(seed, faults, FtsGreed.Mutant.NONE);
        return FtsSimulation.nested(SimOptions.of(faults), seed, greed, false).isOn();
    }
}
