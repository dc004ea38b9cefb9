package org.amo.core.replica;

import java.util.List;
import java.util.Map;
import org.amo.sim.Planted;
import org.amo.sim.Seeds;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Bugs in reads beside the order, in virtual time. A read is to see all that was there before it:
 * {@link FtsSimulationTest#noFaultBreaksARule}.
 */
class FtsReadsTest {
    /** The first seeds that find a plant (docs/protocols/simulation.md), where it is not 1. */
    private static final Map<String, Long> FIRST_SEEDS = Map.of(
            "read-unconfirmed", 5L,
            "read-index-of-old-term", 7L,
            "stale-from-answer", 14L);

    @ParameterizedTest
    @MethodSource("bugs")
    void aMutantIsFoundWithTheDefaultFaults(FtsReads.Mutant bug) {
        Seeds.isFound("fts", bug.plant(), FIRST_SEEDS.getOrDefault(bug.plant(), 1L));
    }

    static List<FtsReads.Mutant> bugs() {
        return Planted.all(FtsReads.Mutant.values());
    }
}
