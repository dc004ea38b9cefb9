package org.amo.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import java.util.stream.LongStream;

/**
 * The checks that the simulations of all protocols pass. A build runs a part of the seeds, and for a planted bug the first seed that is
 * known to find it; the profile slow runs all of them, and looks for a planted bug from seed 1.
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

    /**
     * In a build the first seeds, and of the next ones those in which a part of the world comes about that is rare; all of them in the
     * profile slow. What the rare part brings about is then seen as often as in all seeds up to the last.
     */
    public static LongStream firstAndRare(int first, int last, LongPredicate isRare, int all) {
        return LongStream.rangeClosed(1, many(last, all)).filter(seed -> ALL || seed <= first || isRare.test(seed));
    }

    /** Runs the first seeds. The tests named First* run a few only, for mutation testing: they take a second or less. */
    public static SimTotals noViolation(String protocol, int seeds, Faults faults, long fewestOperations) {
        return noViolation(protocol, LongStream.rangeClosed(1, seeds), faults, fewestOperations);
    }

    /** Runs these seeds. */
    public static SimTotals noViolation(String protocol, LongStream seeds, Faults faults, long fewestOperations) {
        SimTotals totals = SimTotals.run(protocol, seeds, SimOptions.of(faults), result -> {});
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
     * the violation has a trace. A build looks further than the known seed only if that one has come to find nothing.
     *
     * @param first the first seed that is known to find it
     */
    public static void isFound(String protocol, String plant, long first) {
        SimResult found = found(Simulations.of(protocol), plant, first, FoundAs.rule(plant));
        Violation violation = found.violation().orElseThrow();
        System.out.println(
                plant + " is found by seed " + found.seed() + ": " + violation.rule() + ": " + violation.detail());
        assertTrue(violation.trace().size() > 1, "the violation has no trace");
    }

    /**
     * The first seed that finds the bug. A violation of another rule may have another cause.
     *
     * @param first the seed that is known to find it
     * @param rule that must be violated; empty for any
     */
    static SimResult found(Simulation simulation, String plant, long first, Optional<String> rule) {
        SimOptions options = SimOptions.of(Faults.DEFAULT).withPlant(plant);
        Predicate<SimResult> isFound = result -> result.violation()
                .filter(each -> each.rule().equals(rule.orElse(each.rule())))
                .isPresent();
        return known(simulation, options, first)
                .filter(isFound)
                .or(() -> LongStream.rangeClosed(ALL ? 1 : first + 1, LAST_SEED)
                        .mapToObj(seed -> simulation.run(options, seed))
                        .filter(isFound)
                        .findFirst())
                .orElseThrow(() -> new AssertionError(plant + " was not found"
                        + rule.map(each -> " as '" + each + "'").orElse("") + " up to seed " + LAST_SEED));
    }

    /** With its trace at once: a run without one would be run again. */
    private static Optional<SimResult> known(Simulation simulation, SimOptions options, long seed) {
        return ALL ? Optional.empty() : Optional.of(simulation.run(options.withTrace(), seed));
    }

    /** The same seed gives the same run. */
    public static void repeats(String protocol, int fewestEvents) {
        repeats(protocol, 7, fewestEvents);
    }

    /** This seed gives the same run. */
    public static void repeats(String protocol, long seed, int fewestEvents) {
        SimOptions options = SimOptions.of(Faults.HARSH).withTrace();
        SimResult once = Simulations.of(protocol).run(options, seed);
        assertEquals(once, Simulations.of(protocol).run(options, seed));
        assertTrue(once.trace().size() > fewestEvents, "a traced run keeps every event");
    }
}
