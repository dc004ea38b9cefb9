package org.amo.dpg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.amo.sim.Faults;
import org.amo.sim.Seeds;
import org.amo.sim.SimOptions;
import org.amo.sim.SimResult;
import org.amo.sim.SimTotals;
import org.amo.sim.SimWorld;
import org.amo.sim.rules.RuleSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** DPG in virtual time on a simulated medium, and each of its rules taken out (rows D2, D4 to D8, D10 to D12, D14, D15). */
class DpgSimulationTest {
    /** The first seeds that find a plant (docs/protocols/dpg.md), where they are late; else the search begins at 1. */
    private static final Map<String, Long> FIRST_SEEDS = Map.of(
            "delivered-removed-early", 14L,
            "contiguous-across-gap", 6L,
            "no-seizure", 14L,
            "give-up-in-silence", 27L,
            "chosen-without-asking", 15L,
            "delivered-forgotten", 40L);

    @ParameterizedTest
    @EnumSource
    void everySiteThatIsPresentDeliversEveryBodyInTheAgreedOrder(Faults faults) {
        int part = faults == Faults.HARSH ? 8 : 20;
        SimTotals totals =
                Seeds.noViolation("dpg", faults == Faults.NONE ? 5 : Seeds.many(part, 10 * part), faults, 50);
        // A check that had nothing to compare in any seed has not passed.
        assertTrue(count(totals, DpgSimulation.NEIGHBOURS) > 0, totals.rows()::toString);
        // The few seeds of the harsh profile may disturb every site of each.
        if (faults != Faults.HARSH) {
            assertTrue(count(totals, DpgSimulation.STEADY_PAIRS) > 0, totals.rows()::toString);
        }
    }

    private static long count(SimTotals totals, String name) {
        return totals.rows().values().stream()
                .mapToLong(counts -> counts.getOrDefault(name, 0L))
                .sum();
    }

    @ParameterizedTest
    @EnumSource(DpgRule.class)
    void aRuleTakenOutIsFoundWithTheDefaultFaults(DpgRule rule) {
        Seeds.isFound("dpg", rule.plant(), FIRST_SEEDS.getOrDefault(rule.plant(), 1L));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 20})
    void anyNumberOfSites(int sites) {
        SimOptions options = new SimOptions(Faults.NONE, Optional.empty(), OptionalInt.of(sites), false);
        SimTotals totals = SimTotals.run("dpg", 1, sites > 7 ? 1 : 2, options, result -> {});
        assertEquals(Optional.empty(), totals.firstViolation().flatMap(SimResult::violation));
    }

    /** "It is done when": 5 % loss, every present site delivers every body (row D7). */
    @Test
    void atFivePercentLossEveryPresentSiteDeliversEveryBody() {
        int seeds = Seeds.many(9, 18);
        DpgRunMetrics sum = onlyLoss(0.05, false, seeds);
        assertTrue(sum.count("PDU lost") > 250L * seeds, sum::toString);
        assertTrue(sum.count("deliveries") > 250L * seeds, sum::toString);
        assertEquals(0, sum.count("dummies"), sum::toString);
    }

    /** "It is done when": tiny buffers, no deadlock (row D8). The run itself checks that the last messages get through. */
    @Test
    void withOneToFourBuffersNobodyWaitsForEver() {
        DpgRunMetrics sum = onlyLoss(0.05, true, 15);
        assertTrue(sum.count("seized") > 100, sum::toString);
        assertTrue(sum.count("deliveries") > 1_000, sum::toString);
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

    /** Row D4 and D15: on a medium that keeps its promise no inference is false; a bound that is exceeded makes some. */
    @Test
    void contiguityIsFalseOnlyWhereABoundIsExceeded() {
        SimTotals totals = SimTotals.run("dpg", 1, 32, SimOptions.of(Faults.HARSH), result -> {});
        assertEquals(4, totals.rows().size(), totals.rows()::toString);
        totals.rows().forEach((name, counts) -> {
            boolean bounded = name.startsWith("bounded");
            assertTrue(counts.get("contiguities") > 1_000, name + counts);
            assertEquals(bounded, counts.get("falseContiguities") > 0, name + counts);
            assertTrue(bounded || counts.getOrDefault("outOfPlace", 0L) == 0, name + counts);
        });
    }

    @Test
    void theSameSeedGivesTheSameRun() {
        Seeds.repeats("dpg", 100);
    }
}
