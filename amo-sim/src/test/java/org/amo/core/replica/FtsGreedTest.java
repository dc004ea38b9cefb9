package org.amo.core.replica;

import org.amo.core.replica.FtsGreed.Mutant;
import org.amo.sim.Seeds;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The rule about shares done otherwise, with a greedy principal beside honest clients in virtual time. By the rule no honest client is
 * refused for a greedy one: {@link FtsSimulationTest#noFaultBreaksARule}.
 */
class FtsGreedTest {
    @ParameterizedTest
    @EnumSource(value = Mutant.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aMutantIsFound(Mutant mutant) {
        // The first seed that finds it; the others are found by the first three.
        long first = mutant == Mutant.SHARE_NOT_CHARGED ? 9 : 1;
        Seeds.isFound("fts", mutant.plant(), first);
    }
}
