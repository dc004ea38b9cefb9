package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.amo.core.replica.FtsGreed.Mutant;
import org.amo.sim.Faults;
import org.amo.sim.Seeds;
import org.amo.sim.SimOptions;
import org.amo.sim.SimResult;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A greedy principal beside honest clients in virtual time, and the rule about shares done otherwise. */
class FtsGreedTest {
    private static final int SEEDS = Seeds.many(80, 1_000);
    private static final int MUTANT_SEEDS = 200;

    @ParameterizedTest
    @EnumSource(
            value = Faults.class,
            names = {"DEFAULT", "HARSH"})
    void honestClientsAreNeverRefusedForAGreedyOne(Faults faults) {
        int greedy = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            if (!new FtsGreed(seed, faults, Mutant.NONE).isOn()) {
                continue;
            }
            greedy++;
            SimResult result = FtsSimulation.run(SimOptions.of(faults), seed, Mutant.NONE);
            long failed = seed;
            assertEquals(
                    Optional.empty(),
                    result.violation().map(broken -> broken.rule() + ": " + broken.detail()),
                    () -> "seed " + failed);
            assertTrue(result.operations() > 1_500, "calls: " + result.operations());
        }
        assertTrue(greedy > 10, "greedy runs: " + greedy);
    }

    @ParameterizedTest
    @EnumSource(value = Mutant.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aMutantIsFound(Mutant mutant) {
        // The first seed that finds it; the others are found by the first three.
        long first = mutant == Mutant.SHARE_NOT_CHARGED ? 97 : 1;
        SimOptions options = SimOptions.of(Faults.DEFAULT);
        Seeds.isFound(mutant.name(), first, MUTANT_SEEDS, seed -> FtsSimulation.run(options, seed, mutant));
    }
}
