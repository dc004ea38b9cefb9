package org.amo.sim;

import java.util.List;

/** One protocol's simulation. Equal options and seeds give equal results, on any machine. */
public interface Simulation {
    /** Its name on the command line. */
    String protocol();

    /** The bugs that can be planted in it. */
    List<Plant> plants();

    SimResult run(SimOptions options, long seed);
}
