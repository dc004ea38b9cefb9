package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.amo.sim.Faults;
import org.amo.sim.Planted;
import org.amo.sim.Seeds;
import org.amo.sim.SimOptions;
import org.amo.sim.SimResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Members that run operations with different keys at the same time, in virtual time, and each of the rules taken out. */
class FtsParallelTest {
    /** In a build the first ones, and of the next ones those in which some requests end members: these are what is skipped. */
    private static LongStream seeds(Faults faults) {
        return switch (faults) {
            case NONE -> LongStream.rangeClosed(1, Seeds.many(2, 20));
            case DEFAULT -> Seeds.firstAndRare(4, 45, seed -> FtsPoisonTest.isOn(seed, faults), 200);
            case HARSH -> Seeds.firstAndRare(4, 60, seed -> FtsPoisonTest.isOn(seed, faults), 200);
        };
    }

    @ParameterizedTest
    @EnumSource(Faults.class)
    void membersAgreeWhateverTheOrderOfEnds(Faults faults) {
        SimOptions options = SimOptions.of(faults).withParallel();
        long skipped = 0;
        for (long seed : seeds(faults).toArray()) {
            SimResult result = new FtsSimulation().run(options, seed);
            assertEquals(
                    Optional.empty(),
                    result.violation().map(broken -> broken.rule() + ": " + broken.detail()),
                    () -> "seed " + seed);
            skipped += result.faults().getOrDefault("requestSkipped", 0L);
        }
        System.out.println(faults + ": " + skipped + " requests skipped");
        if (faults != Faults.NONE) {
            assertTrue(skipped > 5, "requests skipped: " + skipped);
        }
    }

    static List<FtsParallel.Mutant> mutants() {
        return Planted.all(FtsParallel.Mutant.values());
    }

    @ParameterizedTest
    @MethodSource("mutants")
    void mutantIsFound(FtsParallel.Mutant mutant) {
        // The first seeds that find them.
        Seeds.isFound("fts", mutant.plant(), mutant == FtsParallel.Mutant.STATE_WHILE_RUNNING ? 4 : 1);
    }

    @Test
    void seedGivesTheSameRunAgain() {
        SimOptions options = SimOptions.of(Faults.HARSH).withParallel().withTrace();
        assertEquals(
                new FtsSimulation().run(options, 3).trace(),
                new FtsSimulation().run(options, 3).trace());
    }
}
