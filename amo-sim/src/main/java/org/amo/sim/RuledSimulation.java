package org.amo.sim;

import java.util.List;
import java.util.stream.Stream;
import org.amo.sim.rules.RuleSet;

/**
 * A simulation in which each bug that can be planted is a rule taken out.
 *
 * @param <R> the rules, perhaps of several protocols
 */
public abstract class RuledSimulation<R extends Enum<R> & Planted> implements Simulation {
    private final String protocol;
    private final R[] rules;

    protected RuledSimulation(String protocol, R[] rules) {
        this.protocol = protocol;
        this.rules = rules;
    }

    @Override
    public final String protocol() {
        return protocol;
    }

    @Override
    public final List<Plant> plants() {
        return Stream.of(rules)
                .map(Planted::bug)
                .filter(plant -> plant.protocol().equals(protocol))
                .toList();
    }

    @Override
    public final SimResult run(SimOptions options, long seed) {
        RuleSet<R> inForce = SeedRun.rules(protocol, rules, options.plant());
        return SeedRun.of(options, seed, (with, of, tracing) -> run(with, of, tracing, inForce));
    }

    /** One run, with these rules in force. */
    protected abstract SimResult run(SimOptions options, long seed, SimWorld.Tracing tracing, RuleSet<R> inForce);
}
