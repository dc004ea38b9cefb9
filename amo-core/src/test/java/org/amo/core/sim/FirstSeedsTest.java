package org.amo.core.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The first seeds of each simulation that mutation testing runs against a mutant which no other test has noticed, so each of these
 * takes a second or less. The other simulation tests run more seeds.
 */
class FirstSeedsTest {
    @ParameterizedTest
    @EnumSource(names = {"DEFAULT", "HARSH"})
    void fts(Faults faults) {
        noViolation("fts", 30, faults, 200);
    }

    @ParameterizedTest
    @EnumSource(names = {"DEFAULT", "HARSH"})
    void exon(Faults faults) {
        noViolation("exon", 60, faults, 50);
    }

    @ParameterizedTest
    @EnumSource(names = {"NONE", "DEFAULT"})
    void dpg(Faults faults) {
        noViolation("dpg", 4, faults, 50);
    }

    private static void noViolation(String protocol, int seeds, Faults faults, int fewestOperations) {
        SimTotals totals = SimTotals.run(protocol, 1, seeds, SimOptions.of(faults), result -> {});
        assertEquals(
                Optional.empty(),
                totals.firstViolation().flatMap(SimResult::violation),
                () -> SimTotals.replayCommand(
                        protocol,
                        SimOptions.of(faults),
                        totals.firstViolation().map(SimResult::seed).orElse(0L)));
        assertTrue(totals.operations() > fewestOperations * totals.seeds(), totals::toString);
    }
}
