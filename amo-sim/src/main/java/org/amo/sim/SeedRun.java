package org.amo.sim;

import java.util.Optional;
import java.util.function.Function;

/** Wraps the run of one seed, for the simulations of all protocols. */
final class SeedRun {
    private SeedRun() {}

    /** One run of a seed. Repeatable: the same options and seed give the same result. */
    interface Play {
        SimResult run(SimOptions options, long seed, SimWorld.Tracing tracing);
    }

    /** Plays a seed. Only one that failed pays for a trace, by being run again. */
    static SimResult of(SimOptions options, long seed, Play play) {
        SimResult result = play.run(options, seed, options.trace() ? SimWorld.Tracing.ALL : SimWorld.Tracing.NOTHING);
        return result.violation().isPresent() && !options.trace()
                ? play.run(options, seed, SimWorld.Tracing.LAST)
                : result;
    }

    /**
     * The rule that a plant takes out; empty without a plant.
     *
     * @throws IllegalArgumentException if none of the rules has the plant
     */
    static <R extends Enum<R>> Optional<R> planted(
            String protocol, Iterable<R> rules, Function<R, String> plantOf, Optional<String> plant) {
        if (plant.isEmpty()) {
            return Optional.empty();
        }
        for (R rule : rules) {
            if (plantOf.apply(rule).equals(plant.get())) {
                return Optional.of(rule);
            }
        }
        throw new IllegalArgumentException(
                protocol + " has no plant '" + plant.get() + "'; ./amo sim --list-plants prints what there is");
    }

    /** A broken rule, as the last line of the trace too. */
    static Violation violation(String rule, String detail, SimWorld world) {
        if (world.tracing()) {
            world.trace("violation: " + rule + ": " + detail);
        }
        return new Violation(rule, detail, world.traced());
    }
}
