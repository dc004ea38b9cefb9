package org.amo.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;

/** The checks that the simulations of all protocols pass. */
public final class Seeds {
    private Seeds() {}

    /** Runs the first seeds. The tests named First* run a few only, for mutation testing: they take a second or less. */
    public static SimTotals noViolation(String protocol, int seeds, Faults faults, long fewestOperations) {
        SimTotals totals = SimTotals.run(protocol, 1, seeds, SimOptions.of(faults), result -> {});
        assertEquals(
                Optional.empty(),
                totals.firstViolation().flatMap(SimResult::violation),
                () -> SimTotals.replayCommand(
                        protocol,
                        SimOptions.of(faults),
                        totals.firstViolation().map(SimResult::seed).orElse(0L)));
        assertTrue(totals.operations() > fewestOperations * totals.seeds(), totals::toString);
        return totals;
    }

    /** A planted bug is found with the default faults, by the seeds from first on, and the violation has a trace. */
    public static void isFound(String protocol, String plant, long first, int seeds) {
        SimOptions options = SimOptions.of(Faults.DEFAULT).withPlant(plant);
        Violation violation = SimTotals.run(protocol, first, first + seeds - 1, options, result -> {})
                .firstViolation()
                .flatMap(SimResult::violation)
                .orElseThrow(() -> new AssertionError(plant + " was not found in " + seeds + " seeds"));
        assertTrue(violation.trace().size() > 1, "the violation has no trace");
    }

    /** The same seed gives the same run. */
    public static void repeats(String protocol, int fewestEvents) {
        SimOptions options = SimOptions.of(Faults.HARSH).withTrace();
        SimResult once = Simulations.of(protocol).run(options, 7);
        assertEquals(once, Simulations.of(protocol).run(options, 7));
        assertTrue(once.trace().size() > fewestEvents, "a traced run keeps every event");
    }
}
