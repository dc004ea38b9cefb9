package org.amo.dpg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.LongStream;
import org.amo.sim.Faults;
import org.amo.sim.Seeds;
import org.amo.sim.SimOptions;
import org.amo.sim.SimResult;
import org.amo.sim.SimTotals;
import org.amo.sim.SimWorld;
import org.amo.sim.rules.RuleSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** DPG in virtual time on a simulated medium, and each of its rules taken out (rows D2, D4 to D8, D10 to D12, D14, D15). */
class DpgSimulationTest {
    /** The first seeds that find a plant (docs/protocols/dpg.md), where it is not 1. */
    private static final Map<String, Long> FIRST_SEEDS = Map.of(
            "delivered-removed-early", 14L,
            "contiguous-across-gap", 6L,
            "no-seizure", 9L,
            "give-up-in-silence", 27L,
            "chosen-without-asking", 15L,
            "delivered-forgotten", 48L,
            "linearise-with-unmarked-arcs", 2L,
            "own-miss-ignored", 2L,
            "unmark-on-union", 2L,
            "return-without-reset", 4L);

    /** With harsh faults: the next test. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "HARSH")
    void everySiteThatIsPresentDeliversEveryBodyInTheAgreedOrder(Faults faults) {
        SimTotals totals =
                Seeds.noViolation("dpg", faults == Faults.NONE ? Seeds.many(2, 5) : Seeds.many(10, 200), faults, 50);
        // A check that had nothing to compare in any seed has not passed.
        assertTrue(count(totals, DpgSimulation.NEIGHBOURS) > 0, totals.rows()::toString);
        assertTrue(count(totals, DpgSimulation.STEADY_PAIRS) > 0, totals.rows()::toString);
    }

    private static long count(SimTotals totals, String name) {
        return totals.rows().values().stream()
                .mapToLong(counts -> counts.getOrDefault(name, 0L))
                .sum();
    }

    /**
     * Row D4 and D15: on a medium that keeps its promise no inference is false; a bound that is exceeded makes some. Delays are bounded in
     * each eighth seed.
     */
    @Test
    void contiguityIsFalseOnlyWhereABoundIsExceeded() {
        SimTotals totals =
                Seeds.noViolation("dpg", Seeds.firstAndRare(16, 32, seed -> seed % 8 == 0, 80), Faults.HARSH, 50);
        assertTrue(count(totals, DpgSimulation.NEIGHBOURS) > 0, totals.rows()::toString);
        assertEquals(4, totals.rows().size(), totals.rows()::toString);
        totals.rows().forEach((name, counts) -> {
            boolean bounded = name.startsWith("bounded");
            assertTrue(counts.get("contiguities") > Seeds.many(100, 1_000), name + counts);
            assertEquals(bounded, counts.get("falseContiguities") > 0, name + counts);
            assertTrue(bounded || counts.getOrDefault("outOfPlace", 0L) == 0, name + counts);
        });
    }

    /**
     * A consent to another place (2940), a stop of a process that stood still (3360), cuts of two sites one after the other (6298),
     * and a return at the last moment (4295, which is clean since consents hold at one place). Two sites that begin a sequence side by
     * side (6201), an isolated site whose order meets the others' at its end (17963), and a body that comes after a pause (11889). Sites
     * that waited for each other behind a false inference (6392, 4528, 8416).
     */
    @Test
    void seedsThatOnceFailed() {
        Seeds.noViolation("dpg", LongStream.of(2_940, 3_360, 5_417, 6_201, 6_392, 12_972, 17_963), Faults.DEFAULT, 50);
        Seeds.noViolation("dpg", LongStream.of(4_295, 4_528, 6_298, 8_416, 11_889, 18_635), Faults.HARSH, 50);
    }

    @ParameterizedTest
    @EnumSource(DpgRule.class)
    void aRuleTakenOutIsFoundWithTheDefaultFaults(DpgRule rule) {
        Seeds.isFound("dpg", rule.plant(), FIRST_SEEDS.getOrDefault(rule.plant(), 1L));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7})
    void anyNumberOfSites(int sites) {
        runs(sites);
    }

    @Test
    @Tag("slow")
    void twentySites() {
        runs(20);
    }

    private static void runs(int sites) {
        SimOptions options = new SimOptions(Faults.NONE, Optional.empty(), OptionalInt.of(sites), false);
        SimTotals totals = SimTotals.run("dpg", 1, sites > 7 ? 1 : Seeds.many(1, 2), options, result -> {});
        assertEquals(Optional.empty(), totals.firstViolation().flatMap(SimResult::violation));
    }

    /** "It is done when": 5 % loss, every present site delivers every body (row D7). */
    @Test
    void atFivePercentLossEveryPresentSiteDeliversEveryBody() {
        int seeds = Seeds.many(3, 18);
        DpgRunMetrics sum = onlyLoss(0.05, false, seeds);
        assertTrue(sum.count("PDU lost") > 100L * seeds, sum::toString);
        assertTrue(sum.count("deliveries") > 250L * seeds, sum::toString);
        assertEquals(0, sum.count("dummies"), sum::toString);
    }

    /** "It is done when": tiny buffers, no deadlock (row D8). The run itself checks that the last messages get through. */
    @Test
    void withOneToFourBuffersNobodyWaitsForEver() {
        int seeds = Seeds.many(6, 15);
        DpgRunMetrics sum = onlyLoss(0.05, true, seeds);
        assertTrue(sum.count("seized") > 2L * seeds, sum::toString);
        assertTrue(sum.count("deliveries") > 30L * seeds, sum::toString);
    }

    /** Runs without any other fault; what they counted. */
    private static DpgRunMetrics onlyLoss(double loss, boolean scarce, int seeds) {
        DpgRunMetrics sum = new DpgRunMetrics();
        for (int seed = 1; seed <= seeds; seed++) {
            DpgProfile profile = DpgProfile.onlyLoss(loss, scarce);
            SimResult result = DpgSimulation.run(seed, SimWorld.Tracing.NOTHING, profile, RuleSet.all(), 0);
            assertEquals(Optional.empty(), result.violation(), "seed " + seed);
            result.rows().values().forEach(counts -> counts.forEach(sum::add));
            result.faults().forEach(sum::add);
        }
        return sum;
    }

    @Test
    void theSameSeedGivesTheSameRun() {
        Seeds.repeats("dpg", 100);
    }
}
