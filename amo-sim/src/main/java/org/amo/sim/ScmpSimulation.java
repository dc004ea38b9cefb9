package org.amo.sim;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.amo.scmp.ScmpRule;
import org.amo.scmp.ScmpRules;

/**
 * {@code scmp}: the filter of paper 000, section 2, and {@code scmp-rpc}: its calls, in virtual time. A run is active under
 * faults, then calm, when every new message must be accepted and every call answered again.
 */
final class ScmpSimulation implements Simulation {
    static final String FILTER = "scmp";
    static final String RPC = "scmp-rpc";

    private static final long ACTIVE_MILLIS = 15_000;
    private static final long CALM_MILLIS = 1_500;

    private final String protocol;

    ScmpSimulation(String protocol) {
        this.protocol = protocol;
    }

    /** One of the two casts. */
    interface Play {
        void start();

        /** Faults are over; from now on everything must work. */
        void becomeCalm();

        void checkEnd();

        long operations();
    }

    @Override
    public SimResult run(SimOptions options, long seed) {
        return SeedRun.of(options, seed, this::run);
    }

    private SimResult run(SimOptions options, long seed, SimWorld.Tracing tracing) {
        SimWorld world = new SimWorld(seed, tracing);
        ScmpScene scene = new ScmpScene(world, rules(options.plant()), ScmpProfile.of(options.faults()));
        Play play = protocol.equals(FILTER) ? new ScmpFilterPlay(scene) : new ScmpRpcPlay(scene);
        Optional<Violation> violation = Optional.empty();
        try {
            play.start();
            world.runUntilMillis(ACTIVE_MILLIS);
            scene.calm = true;
            play.becomeCalm();
            world.runUntilMillis(ACTIVE_MILLIS + CALM_MILLIS);
            play.checkEnd();
        } catch (SimViolationException e) {
            violation = Optional.of(new Violation(e.rule(), e.detail(), world.traced()));
        } catch (IllegalStateException | IllegalArgumentException | IndexOutOfBoundsException e) {
            violation = Optional.of(new Violation(
                    "the core stopped", e + " at " + List.of(e.getStackTrace()).subList(0, 4), world.traced()));
        }
        List<String> trace = tracing == SimWorld.Tracing.ALL ? world.traced() : List.of();
        return new SimResult(seed, play.operations(), Map.copyOf(world.faults()), violation, trace);
    }

    private ScmpRules rules(Optional<String> plant) {
        List<ScmpRule> ofProtocol = Stream.of(ScmpRule.values())
                .filter(rule -> rule.protocol().equals(protocol))
                .toList();
        return SeedRun.planted(protocol, ofProtocol, ScmpRule::plant, plant)
                .map(rule -> ScmpRules.without(Set.of(rule)))
                .orElse(ScmpRules.ALL);
    }
}
