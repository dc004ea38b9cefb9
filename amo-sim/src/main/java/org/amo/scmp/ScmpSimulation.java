package org.amo.scmp;

import java.util.Optional;
import org.amo.sim.RuledSimulation;
import org.amo.sim.SeedRun;
import org.amo.sim.SimOptions;
import org.amo.sim.SimResult;
import org.amo.sim.SimWorld;
import org.amo.sim.Violation;
import org.amo.sim.rules.RuleSet;

/**
 * {@code scmp}: the filter of Liskov, Shrira and Wroclawski, section 2, and {@code scmp-rpc}: its calls, in virtual time. A run
 * is active under faults, then calm, when every new message must be accepted and every call answered again.
 */
public final class ScmpSimulation extends RuledSimulation<ScmpRule> {
    private static final String FILTER = "scmp";
    private static final String RPC = "scmp-rpc";

    private static final long ACTIVE_MILLIS = 15_000;
    private static final long CALM_MILLIS = 1_500;

    private ScmpSimulation(String protocol) {
        super(protocol, ScmpRule.values());
    }

    /** The filter alone. */
    public static ScmpSimulation ofFilter() {
        return new ScmpSimulation(FILTER);
    }

    /** The filter with the calls on it. */
    public static ScmpSimulation ofCalls() {
        return new ScmpSimulation(RPC);
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
    protected SimResult run(SimOptions options, long seed, SimWorld.Tracing tracing, RuleSet<ScmpRule> rules) {
        SimWorld world = new SimWorld(seed, tracing);
        ScmpScene scene = new ScmpScene(world, rules, ScmpProfile.of(options.faults()));
        Play play = protocol().equals(FILTER) ? new ScmpFilterPlay(scene) : new ScmpRpcPlay(scene);
        Optional<Violation> violation = SeedRun.play(world, "the core stopped", () -> {
            play.start();
            world.runUntilMillis(ACTIVE_MILLIS);
            scene.calm = true;
            play.becomeCalm();
            world.runUntilMillis(ACTIVE_MILLIS + CALM_MILLIS);
            play.checkEnd();
        });
        return new SimResult(seed, play.operations(), world.faults(), violation, world.completeTrace());
    }
}
