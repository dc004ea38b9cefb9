package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.amo.sim.Faults;
import org.amo.sim.Planted;
import org.amo.sim.Seeds;
import org.amo.sim.SimOptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Members of several builds that are exchanged one after the other, in virtual time, and each of the rules for levels taken out. */
class FtsLevelsTest {
    /** The first seeds that find a mutant (docs/protocols/simulation.md), where it is not 1. */
    private static final Map<String, Long> FIRST_SEEDS = Map.of("unspoken-level", 3L, "level-lowered", 22L);

    /** The other parts of the world that are drawn apart make a run long, and leave levels out. */
    private static boolean isOn(long seed, Faults faults) {
        FtsGreed greed = new FtsGreed(seed, faults, FtsGreed.Mutant.NONE);
        FtsPoison poison = new FtsPoison(seed, faults, FtsPoison.Mutant.NONE);
        boolean without = greed.isOn()
                || poison.isOn()
                || FtsSimulation.nested(SimOptions.of(faults), seed, greed, false)
                        .isOn()
                || FtsSimulation.divergence(seed, faults, greed, poison, DetectorBug.NONE, false)
                        .isOn();
        return FtsLevels.of(seed, FtsLevels.Mutant.NONE, without).isOn();
    }

    @ParameterizedTest
    @EnumSource(value = Faults.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void exchangesOfBuildsBreakNoRule(Faults faults) {
        Map<String, Long> counts = SoundRuns.count(
                faults, LongStream.rangeClosed(1, Seeds.many(80, 1_000)).filter(seed -> isOn(seed, faults)));
        System.out.println(faults + ": " + counts);
        for (String event : List.of("upgrade", "downgrade", "levelRaise", "levelNotSpoken")) {
            assertTrue(counts.getOrDefault(event, 0L) > 0, () -> event + " of " + counts);
        }
    }

    static List<FtsLevels.Mutant> mutants() {
        return Planted.all(FtsLevels.Mutant.values());
    }

    @ParameterizedTest
    @MethodSource("mutants")
    void aMutantIsFound(FtsLevels.Mutant mutant) {
        Seeds.isFound("fts", mutant.plant(), FIRST_SEEDS.getOrDefault(mutant.plant(), 1L));
    }
}
