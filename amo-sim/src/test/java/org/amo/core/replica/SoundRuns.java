package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import java.util.stream.LongStream;
import org.amo.sim.Faults;
import org.amo.sim.SimOptions;
import org.amo.sim.SimResult;

/** Runs without a mutant that have a certain part. */
final class SoundRuns {
    private SoundRuns() {}

    /** Runs the seeds, which break no rule, and counts how often the fault or event of that name came about. */
    static long count(Faults faults, LongStream seeds, String name) {
        long count = 0;
        for (long seed : seeds.toArray()) {
            SimResult result = new FtsSimulation().run(SimOptions.of(faults), seed);
            assertEquals(
                    Optional.empty(),
                    result.violation().map(broken -> broken.rule() + ": " + broken.detail()),
                    () -> "seed " + seed);
            count += result.faults().getOrDefault(name, 0L);
        }
        return count;
    }
}
