package org.amo.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import java.util.stream.LongStream;

/**
 * The checks that the simulations of all protocols pass. A build runs a part of the seeds, and looks for a planted bug from the first
 * seed that is known to find it; the profile slow runs all of them, and looks from seed 1.
 */
public final class Seeds {
    private static final boolean ALL = Boolean.getBoolean("amo.allSeeds");

    /** The last seed that may find a planted bug. */
    private static final long LAST_SEED = 1_000;

    private Seeds() {}

    /** So many seeds: a part in a build, all of them in the profile slow. */
    public static int many(int part, int all) {
        return ALL ? all : part;
    }

    /** Where the search for a planted bug begins. */
    private static long from(long firstThatFinds) {
        return ALL ? 1 : firstThatFinds;
    }

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

    /**
     * A planted bug is found with the default faults by one of the first thousand seeds, as the page about the simulator says, and
     * the violation has a trace.
     *
     * @param first the first seed that is known to find it
     */
    public static void isFound(String protocol, String plant, long first) {
        SimResult found = found(Simulations.of(protocol), plant, from(first), FoundAs.rule(plant));
        Violation violation = found.violation().orElseThrow();
        System.out.println(
                plant + " is found by seed " + found.seed() + ": " + violation.rule() + ": " + violation.detail());
        assertTrue(violation.trace().size() > 1, "the violation has no trace");
    }

    /**
     * The first seed that finds the bug. A violation of another rule may have another cause.
     *
     * @param rule that must be violated; empty for any
     */
    static SimResult found(Simulation simulation, String plant, long first, Optional<String> rule) {
        SimOptions options = SimOptions.of(Faults.DEFAULT).withPlant(plant);
        return LongStream.rangeClosed(first, LAST_SEED)
                .mapToObj(seed -> simulation.run(options, seed))
                .filter(result -> result.violation()
                        .filter(each -> each.rule().equals(rule.orElse(each.rule())))
                        .isPresent())
                .findFirst()
                .orElseThrow(() -> new AssertionError(plant + " was not found"
                        + rule.map(each -> " as '" + each + "'").orElse("") + " up to seed " + LAST_SEED));
    }

    /** The same seed gives the same run. */
    public static void repeats(String protocol, int fewestEvents) {
        SimOptions options = SimOptions.of(Faults.HARSH).withTrace();
        SimResult once = Simulations.of(protocol).run(options, 7);
        assertEquals(once, Simulations.of(protocol).run(options, 7));
        assertTrue(once.trace().size() > fewestEvents, "a traced run keeps every event");
    }
}
