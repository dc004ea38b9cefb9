package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.amo.sim.Faults;
import org.amo.sim.Planted;
import org.amo.sim.Seeds;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Clients that recover their calls after a crash, in virtual time, and each of their rules taken out. */
class FtsIdentitiesTest {
    /** The first seeds that find a mutant (docs/protocols/simulation.md), where it is not 1. */
    private static final Map<String, Long> FIRST_SEEDS =
            Map.of("refusal-unnoted", 39L, "unhandled-acknowledged", 8L, "recovered-renumbered", 5L);

    private static boolean isOn(long seed) {
        return FtsIdentities.of(seed, FtsIdentities.Mutant.NONE, false).isOn();
    }

    @ParameterizedTest
    @EnumSource(value = Faults.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void recoveryBreaksNoRule(Faults faults) {
        long recovered = SoundRuns.count(
                faults,
                LongStream.rangeClosed(1, Seeds.many(60, 1_000)).filter(FtsIdentitiesTest::isOn),
                "recoveredCall");
        System.out.println(recovered + " calls recovered with the faults " + faults);
        assertTrue(recovered > 50, "recovered calls: " + recovered);
    }

    static List<FtsIdentities.Mutant> mutants() {
        return Planted.all(FtsIdentities.Mutant.values());
    }

    @ParameterizedTest
    @MethodSource("mutants")
    void aMutantIsFound(FtsIdentities.Mutant mutant) {
        Seeds.isFound("fts", mutant.plant(), FIRST_SEEDS.getOrDefault(mutant.plant(), 1L));
    }
}
