package org.amo.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Linearizable calls in virtual time, and each of their rules taken out (rows R1, R3 to R10, R12 to R14, R17, R18). */
class LeaseSimulationTest {
    private static final int PLANT_SEEDS = 1_000;

    @ParameterizedTest
    @EnumSource(Faults.class)
    void noFaultRunsACallTwiceOrLosesOneOrForgetsAClient(Faults faults) {
        int seeds = faults == Faults.NONE ? 10 : 100;
        SimTotals totals = SimTotals.run("lease", 1, seeds, SimOptions.of(faults), result -> {});
        assertEquals(
                Optional.empty(),
                totals.firstViolation().flatMap(SimResult::violation),
                () -> SimTotals.replayCommand(
                        "lease",
                        SimOptions.of(faults),
                        totals.firstViolation().map(SimResult::seed).orElse(0L)));
        assertTrue(totals.operations() > 50 * totals.seeds(), totals::toString);
        assertEquals(faults == Faults.NONE, totals.faults().isEmpty(), totals::toString);
    }

    @ParameterizedTest
    @EnumSource(LeaseRule.class)
    void aRuleTakenOutIsFoundWithTheDefaultFaults(LeaseRule rule) {
        SimOptions options = SimOptions.of(Faults.DEFAULT).withPlant(rule.plant());
        SimTotals totals = SimTotals.run("lease", 1, PLANT_SEEDS, options, result -> {});
        Violation violation = totals.firstViolation()
                .flatMap(SimResult::violation)
                .orElseThrow(() -> new AssertionError(rule.plant() + " was not found in " + PLANT_SEEDS + " seeds"));
        assertTrue(violation.trace().size() > 1, "the violation has no trace");
    }

    @Test
    void theSameSeedGivesTheSameRun() {
        SimOptions options = SimOptions.of(Faults.HARSH).withTrace();
        SimResult once = new LeaseSimulation().run(options, 7);
        assertEquals(once, new LeaseSimulation().run(options, 7));
        assertTrue(once.trace().size() > 100, "a traced run keeps every event");
    }
}
