package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.amo.sim.Faults;
import org.amo.sim.Planted;
import org.amo.sim.Seeds;
import org.amo.sim.SimOptions;
import org.amo.sim.SimResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Operations that call two other servers, in virtual time: each call runs there once at most, and all members take the same result. */
class FtsNestedTest {
    private static final int SEEDS = 400;
    private static final int MUTANT_SEEDS = 1_000;

    /** The first seeds that find a plant (docs/protocols/simulation.md), where they are late; else the search begins at 1. */
    private static final Map<String, Long> FIRST_SEEDS = Map.of(
            "nested-result-taken-locally", 19L,
            "nested-call-before-claim", 4L,
            "nested-call-repeated", 26L);

    @ParameterizedTest
    @EnumSource(
            value = Faults.class,
            names = {"DEFAULT", "HARSH"})
    void eachNestedCallRunsOnceAtMostAndAllMembersTakeItsResult(Faults faults) {
        SimOptions options = SimOptions.of(faults);
        Map<String, Long> seen = new TreeMap<>();
        for (long seed = 1; seed <= SEEDS; seed++) {
            if (!isOn(seed, faults)) {
                continue;
            }
            SimResult result = new FtsSimulation().run(options, seed);
            long failed = seed;
            assertEquals(
                    Optional.empty(),
                    result.violation().map(broken -> broken.rule() + ": " + broken.detail()),
                    () -> "seed " + failed);
            for (String kind : List.of("nestedCall", "nestedRepeat", "nestedUnknown", "nestedSnapshot")) {
                seen.merge(kind, result.faults().getOrDefault(kind, 0L), Long::sum);
            }
        }
        System.out.println(faults + ": " + seen);
        seen.forEach((kind, count) -> assertTrue(count > 10, kind + ": " + count));
    }

    @ParameterizedTest
    @MethodSource("bugs")
    void aMutantIsFoundWithTheDefaultFaults(NestedBug bug) {
        Seeds.isFound("fts", bug.plant(), FIRST_SEEDS.getOrDefault(bug.plant(), 1L), MUTANT_SEEDS);
    }

    static List<NestedBug> bugs() {
        return Planted.all(NestedBug.values());
    }

    @Test
    void nestedCallsAreDrawnFromTheSeed() {
        SimOptions options = SimOptions.of(Faults.HARSH).withTrace();
        long seed = 1;
        while (!isOn(seed, Faults.HARSH)) {
            seed++;
        }
        assertEquals(
                new FtsSimulation().run(options, seed).trace(),
                new FtsSimulation().run(options, seed).trace());
    }

    private static boolean isOn(long seed, Faults faults) {
        FtsGreed greed = new FtsGreed(seed, faults, FtsGreed.Mutant.NONE);
        return FtsSimulation.nested(SimOptions.of(faults), seed, greed, false).isOn();
    }
}
