package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.amo.core.replica.FtsTimers.Mutant;
import org.amo.sim.Faults;
import org.amo.sim.Seeds;
import org.amo.sim.SimOptions;
import org.amo.sim.SimResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Timers of operations that end members, in virtual time. */
class FtsTimersTest {
    /** The first seeds that find a mutant (docs/protocols/simulation.md), where it is not 1. */
    private static final Map<String, Long> FIRST_SEEDS = Map.of("timers-unanswered", 2L, "holder-unanswered", 12L);

    /** Each that ends members is skipped or runs everywhere, and the group goes on although periodic ones are pending. */
    @Test
    void timersThatEndMembersBreakNoRule() {
        Map<String, Long> faults = new TreeMap<>();
        for (long seed = 1; seed <= Seeds.many(8, 1_000); seed++) {
            SimResult result = FtsSimulation.runWithTimers(SimOptions.of(Faults.DEFAULT), seed);
            long failed = seed;
            assertEquals(
                    Optional.empty(),
                    result.violation().map(broken -> broken.rule() + ": " + broken.detail()),
                    () -> "seed " + failed);
            result.faults().forEach((fault, times) -> faults.merge(fault, times, Long::sum));
        }
        assertTrue(faults.getOrDefault("timerEndsMember", 0L) > Seeds.many(10, 20), faults::toString);
        assertTrue(faults.getOrDefault("timerSkipped", 0L) > Seeds.many(2, 5), faults::toString);
        assertTrue(faults.getOrDefault("timerLetGo", 0L) > Seeds.many(2, 5), faults::toString);
    }

    @ParameterizedTest
    @EnumSource(value = Mutant.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aMutantIsFound(Mutant mutant) {
        Seeds.isFound("fts", mutant.plant(), FIRST_SEEDS.getOrDefault(mutant.plant(), 1L));
    }
}
