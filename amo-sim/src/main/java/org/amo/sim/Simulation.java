package org.amo.sim;

/** One protocol's simulation. Equal options and seeds give equal results, on any machine. */
@FunctionalInterface
public interface Simulation {
    SimResult run(SimOptions options, long seed);
}
