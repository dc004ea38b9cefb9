package org.amo.sim;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * Options of a simulation.
 *
 * @param faults how hard the world is
 * @param plant the rule to take out, by the name that {@link Simulations#plants} gives it
 * @param sites replicas or sites; empty for the protocol's own choice
 * @param trace whether to keep every event, not only those before a violation
 * @param passive whether the members of {@code fts} run in style passive
 * @param parallel whether the members of {@code fts} run operations with different keys at the same time
 */
public record SimOptions(
        Faults faults, Optional<String> plant, OptionalInt sites, boolean trace, boolean passive, boolean parallel) {

    /** In style active, one operation after another. */
    public SimOptions(Faults faults, Optional<String> plant, OptionalInt sites, boolean trace) {
        this(faults, plant, sites, trace, false, false);
    }

    public static SimOptions of(Faults faults) {
        return new SimOptions(faults, Optional.empty(), OptionalInt.empty(), false);
    }

    public SimOptions withPlant(String name) {
        return new SimOptions(faults, Optional.of(name), sites, trace, passive, parallel);
    }

    public SimOptions withTrace() {
        return new SimOptions(faults, plant, sites, true, passive, parallel);
    }

    public SimOptions withPassive() {
        return new SimOptions(faults, plant, sites, trace, true, parallel);
    }

    public SimOptions withParallel() {
        return new SimOptions(faults, plant, sites, trace, passive, true);
    }
}
