package org.amo.core.replica;

import java.util.List;
import java.util.Map;
import org.amo.sim.Planted;
import org.amo.sim.Seeds;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Bugs in the calls of operations to two other servers, in virtual time. Each call is to run there once at most, and all members take the
 * same result: {@link FtsSimulationTest#noFaultBreaksARule}.
 */
class FtsNestedTest {
    /** The first seeds that find a plant (docs/protocols/simulation.md), where it is not 1. */
    private static final Map<String, Long> FIRST_SEEDS = Map.of(
            "nested-result-taken-locally", 19L,
            "second-outcome-wins", 2L,
            "nested-number-reused", 2L,
            "nested-call-before-claim", 4L,
            "nested-call-repeated", 30L,
            "nested-facts-forgotten", 2L);

    @ParameterizedTest
    @MethodSource("bugs")
    void aMutantIsFoundWithTheDefaultFaults(NestedBug bug) {
        Seeds.isFound("fts", bug.plant(), FIRST_SEEDS.getOrDefault(bug.plant(), 1L));
    }

    static List<NestedBug> bugs() {
        return Planted.all(NestedBug.values());
    }
}
