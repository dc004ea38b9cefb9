package org.amo.core.replica;

import java.util.Map;
import org.amo.core.replica.FtsGreed.Mutant;
import org.amo.sim.Seeds;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The rule about shares done otherwise, with a greedy principal beside honest clients in virtual time. By the rule no honest client is
 * refused for a greedy one: {@link FtsSimulationTest#noFaultBreaksARule}.
 */
class FtsGreedTest {
    /** The first seeds that find a mutant (docs/protocols/simulation.md), where it is not 1. */
    private static final Map<Mutant, Long> FIRST_SEEDS =
            Map.of(Mutant.SHARE_ASKED_LOCALLY, 3L, Mutant.SHARE_NOT_CHARGED, 9L);

    @ParameterizedTest
    @EnumSource(value = Mutant.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aMutantIsFound(Mutant mutant) {
        Seeds.isFound("fts", mutant.plant(), FIRST_SEEDS.getOrDefault(mutant, 1L));
    }
}
