package org.amo.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.amo.exon.ExonRule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Exon in virtual time, and each of its rules taken out (rows E2 to E7, E9, E11 to E13, E15, E16). */
class ExonSimulationTest {
    private static final int PLANT_SEEDS = 1_000;

    @ParameterizedTest
    @EnumSource(Faults.class)
    void noFaultLosesOrDoublesAMessage(Faults faults) {
        int seeds = faults == Faults.NONE ? 10 : 100;
        SimTotals totals = SimTotals.run("exon", 1, seeds, SimOptions.of(faults), result -> {});
        assertEquals(
                Optional.empty(),
                totals.firstViolation().flatMap(SimResult::violation),
                () -> SimTotals.replayCommand(
                        "exon",
                        SimOptions.of(faults),
                        totals.firstViolation().map(SimResult::seed).orElse(0L)));
        assertTrue(totals.operations() > 50 * totals.seeds(), totals::toString);
        assertEquals(faults == Faults.NONE, totals.faults().isEmpty(), totals::toString);
    }

    @ParameterizedTest
    @EnumSource(ExonRule.class)
    void aRuleTakenOutIsFoundWithTheDefaultFaults(ExonRule rule) {
        SimOptions options = SimOptions.of(Faults.DEFAULT).withPlant(rule.plant());
        SimTotals totals = SimTotals.run("exon", 1, PLANT_SEEDS, options, result -> {});
        Violation violation = totals.firstViolation()
                .flatMap(SimResult::violation)
                .orElseThrow(() -> new AssertionError(rule.plant() + " was not found in " + PLANT_SEEDS + " seeds"));
        assertTrue(violation.trace().size() > 1, "the violation has no trace");
    }

    @Test
    void theSameSeedGivesTheSameRun() {
        SimOptions options = SimOptions.of(Faults.HARSH).withTrace();
        SimResult once = new ExonSimulation().run(options, 7);
        assertEquals(once, new ExonSimulation().run(options, 7));
        assertTrue(once.trace().size() > 100, "a traced run keeps every event");
    }
}
