package org.amo.core.replica;

import java.util.Map;
import org.amo.sim.Seeds;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Bugs in the search for a member whose executions have another result, in virtual time. The member is to be found and repaired, and
 * the group goes on: {@link FtsSimulationTest#noFaultBreaksARule}.
 */
class FtsDivergenceTest {
    /** The first seeds that find a bug (docs/protocols/simulation.md), where it is not 1. */
    private static final Map<String, Long> FIRST_SEEDS =
            Map.of("minority-keeps-serving", 2L, "unconfirmed-snapshot-kept", 32L, "restart-forgets-verdict", 3L);

    @ParameterizedTest
    @EnumSource(value = DetectorBug.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aMutantIsFound(DetectorBug bug) {
        Seeds.isFound("fts", bug.plant(), FIRST_SEEDS.getOrDefault(bug.plant(), 1L));
    }
}
