package org.amo.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;

/**
 * The first seeds of a simulation, for mutation testing: they run against a mutant that no other test has noticed, so they take a
 * second or less. The other simulation tests run more seeds.
 */
final class FirstSeeds {
    private FirstSeeds() {}

    static void noViolation(String protocol, int seeds, Faults faults, int fewestOperations) {
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
