package org.amo.sim;

import java.util.Arrays;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.amo.base.wire.MalformedFrameException;
import org.amo.sim.rules.RuleSet;

/** Wraps the run of one seed, for the simulations of all protocols. */
public final class SeedRun {
    private SeedRun() {}

    /** One run of a seed. Repeatable: the same options and seed give the same result. */
    public interface Play {
        SimResult run(SimOptions options, long seed, SimWorld.Tracing tracing);
    }

    /**
     * Plays a seed. Only one that failed pays for a trace, by being run again. A violation that the second run does not
     * repeat is a violation all the same.
     */
    public static SimResult of(SimOptions options, long seed, Play play) {
        SimResult result = play.run(options, seed, options.trace() ? SimWorld.Tracing.ALL : SimWorld.Tracing.NOTHING);
        if (result.violation().isEmpty() || options.trace()) {
            return result;
        }
        SimResult traced = play.run(options, seed, SimWorld.Tracing.LAST);
        return traced.violation().isPresent() ? traced : result;
    }

    /**
     * The rules in force with a plant.
     *
     * @throws IllegalArgumentException if none of the rules has the plant
     */
    public static <R extends Enum<R> & Planted> RuleSet<R> rules(String protocol, R[] rules, Optional<String> plant) {
        return planted(protocol, rules, plant)
                .map(rule -> RuleSet.without(rule))
                .orElseGet(RuleSet::all);
    }

    /**
     * The rule that a plant takes out; empty without a plant.
     *
     * @throws IllegalArgumentException if none of the rules has the plant
     */
    public static <R extends Planted> Optional<R> planted(String protocol, R[] rules, Optional<String> plant) {
        Optional<R> planted =
                Planted.find(rules, plant).filter(rule -> rule.bug().protocol().equals(protocol));
        if (plant.isPresent() && planted.isEmpty()) {
            throw new IllegalArgumentException(
                    protocol + " has no plant '" + plant.get() + "'; ./amo sim --list-plants prints what there is");
        }
        return planted;
    }

    /**
     * Plays to the end, or to the first violation. An exception of a core is one, too.
     *
     * @param broke the rule that an exception breaks
     */
    public static Optional<Violation> play(SimWorld world, String broke, Runnable run) {
        try {
            run.run();
            return Optional.empty();
        } catch (SimViolationException e) {
            return Optional.of(violation(e.rule(), e.detail(), world));
        } catch (IllegalStateException
                | IllegalArgumentException
                | IndexOutOfBoundsException
                | NullPointerException
                | MalformedFrameException
                | NoSuchElementException e) {
            return Optional.of(violation(broke, e + " at " + origin(e), world));
        }
    }

    /** Of an exception that the JVM throws often there may be no frame at all. */
    private static List<StackTraceElement> origin(RuntimeException e) {
        return Arrays.stream(e.getStackTrace()).limit(4).toList();
    }

    /** A broken rule, as the last line of the trace too. */
    private static Violation violation(String rule, String detail, SimWorld world) {
        world.trace(() -> "violation: " + rule + ": " + detail);
        return new Violation(rule, detail, world.traced());
    }
}
