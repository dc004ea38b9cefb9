package org.amo.sim;

import java.util.List;
import org.amo.core.replica.FtsSimulation;
import org.amo.dpg.DpgSimulation;
import org.amo.exon.ExonSimulation;
import org.amo.scmp.ScmpSimulation;
import org.amo.sim.lease.LeaseSimulation;

/** The simulations by protocol, and the bugs that can be planted in them. */
public final class Simulations {
    private static final List<Simulation> ALL = List.of(
            new FtsSimulation(),
            ScmpSimulation.ofFilter(),
            ScmpSimulation.ofCalls(),
            new LeaseSimulation(),
            new ExonSimulation(),
            new DpgSimulation());

    private Simulations() {}

    public static List<String> protocols() {
        return ALL.stream().map(Simulation::protocol).toList();
    }

    /** @throws IllegalArgumentException naming the protocols that there are */
    public static Simulation of(String protocol) {
        return ALL.stream()
                .filter(simulation -> simulation.protocol().equals(protocol))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "no simulation of '" + protocol + "'; write one of " + protocols()));
    }

    /** All plants, those of a protocol together. */
    public static List<Plant> plants() {
        return ALL.stream().flatMap(simulation -> simulation.plants().stream()).toList();
    }
}
