package org.amo.core.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import java.util.OptionalInt;
import org.amo.core.dpg.DpgRule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** DPG in virtual time on a simulated medium, and each of its rules taken out (rows D2, D4 to D8, D10 to D12, D14, D15). */
class DpgSimulationTest {
    private static final int PLANT_SEEDS = 1_000;

    @ParameterizedTest
    @EnumSource(names = {"NONE", "DEFAULT"})
    void everySiteThatIsPresentDeliversEveryBodyInTheAgreedOrder(Faults faults) {
        SimTotals totals =
                SimTotals.run("dpg", 1, faults == Faults.NONE ? 10 : 40, SimOptions.of(faults), result -> {});
        assertEquals(
                Optional.empty(),
                totals.firstViolation().flatMap(SimResult::violation),
                () -> SimTotals.replayCommand(
                        "dpg",
                        SimOptions.of(faults),
                        totals.firstViolation().map(SimResult::seed).orElse(0L)));
        assertTrue(totals.operations() > 50 * totals.seeds(), totals::toString);
    }

    @ParameterizedTest
    @EnumSource(DpgRule.class)
    void aRuleTakenOutIsFoundWithTheDefaultFaults(DpgRule rule) {
        SimOptions options = SimOptions.of(Faults.DEFAULT).withPlant(rule.plant());
        SimTotals totals = SimTotals.run("dpg", 1, PLANT_SEEDS, options, result -> {});
        Violation violation = totals.firstViolation()
                .flatMap(SimResult::violation)
                .orElseThrow(() -> new AssertionError(rule.plant() + " was not found in " + PLANT_SEEDS + " seeds"));
        assertTrue(violation.trace().size() > 1, "the violation has no trace");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 20})
    void anyNumberOfSites(int sites) {
        SimOptions options = new SimOptions(Faults.NONE, Optional.empty(), OptionalInt.of(sites), false);
        SimTotals totals = SimTotals.run("dpg", 1, 2, options, result -> {});
        assertEquals(Optional.empty(), totals.firstViolation().flatMap(SimResult::violation));
    }

    @Test
    void theSameSeedGivesTheSameRun() {
        SimOptions options = SimOptions.of(Faults.HARSH).withTrace();
        SimResult once = new DpgSimulation().run(options, 7);
        assertEquals(once, new DpgSimulation().run(options, 7));
        assertTrue(once.trace().size() > 100, "a traced run keeps every event");
    }
}
