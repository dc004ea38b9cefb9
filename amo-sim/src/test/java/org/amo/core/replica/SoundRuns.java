package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.amo.sim.Faults;
import org.amo.sim.SimOptions;
import org.amo.sim.SimResult;

/** Runs without a mutant that have a certain part. */
final class SoundRuns {
    private SoundRuns() {}

    /** Runs the seeds, which break no rule, and counts how often the fault or event of that name came about. */
    static long count(Faults faults, LongStream seeds, String name) {
        return count(faults, seeds).getOrDefault(name, 0L);
    }

    /** The same for all faults and events. */
    static Map<String, Long> count(Faults faults, LongStream seeds) {
        Map<String, Long> counts = new TreeMap<>();
        for (long seed : seeds.toArray()) {
            SimResult result = new FtsSimulation().run(SimOptions.of(faults), seed);
            assertEquals(
                    Optional.empty(),
                    result.violation().map(broken -> broken.rule() + ": " + broken.detail()),
                    () -> "seed " + seed);
            result.faults().forEach((name, count) -> counts.merge(name, count, Long::sum));
        }
        return counts;
    }
}
