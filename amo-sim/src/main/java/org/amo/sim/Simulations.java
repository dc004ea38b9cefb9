package org.amo.sim;

import java.util.ArrayList;
import java.util.List;
import org.amo.core.rules.SafetyRule;
import org.amo.dpg.DpgRule;
import org.amo.exon.ExonRule;
import org.amo.scmp.ScmpRule;

/** The simulations by protocol, and the bugs that can be planted in them. */
public final class Simulations {
    private static final String FTS = "fts";
    private static final String EXON = "exon";
    private static final String LEASE = "lease";

    private Simulations() {}

    public static List<String> protocols() {
        return List.of(FTS, ScmpSimulation.FILTER, ScmpSimulation.RPC, LEASE, EXON, DpgSimulation.PROTOCOL);
    }

    /** @throws IllegalArgumentException naming the protocols that there are */
    public static Simulation of(String protocol) {
        if (protocol.equals(FTS)) {
            return new FtsSimulation();
        }
        if (protocol.equals(ScmpSimulation.FILTER) || protocol.equals(ScmpSimulation.RPC)) {
            return new ScmpSimulation(protocol);
        }
        if (protocol.equals(EXON)) {
            return new ExonSimulation();
        }
        if (protocol.equals(LEASE)) {
            return new LeaseSimulation();
        }
        if (protocol.equals(DpgSimulation.PROTOCOL)) {
            return new DpgSimulation();
        }
        throw new IllegalArgumentException("no simulation of '" + protocol + "'; write one of " + protocols());
    }

    /** All plants, those of a protocol together. */
    public static List<Plant> plants() {
        List<Plant> plants = new ArrayList<>();
        for (SafetyRule rule : SafetyRule.values()) {
            plants.add(new Plant(FTS, rule.plant(), rule.description()));
        }
        FtsMutant.planted().forEach(mutant -> plants.add(new Plant(FTS, mutant.plant(), mutant.description())));
        for (SimDisks.Mutant mutant : SimDisks.Mutant.values()) {
            if (mutant != SimDisks.Mutant.NONE) {
                plants.add(new Plant(FTS, mutant.plant(), mutant.description()));
            }
        }
        for (ScmpRule rule : ScmpRule.values()) {
            plants.add(new Plant(rule.protocol(), rule.plant(), rule.description()));
        }
        for (LeaseRule rule : LeaseRule.values()) {
            plants.add(new Plant(LEASE, rule.plant(), rule.description()));
        }
        for (ExonRule rule : ExonRule.values()) {
            plants.add(new Plant(EXON, rule.plant(), rule.description()));
        }
        for (DpgRule rule : DpgRule.values()) {
            plants.add(new Plant(DpgSimulation.PROTOCOL, rule.plant(), rule.description()));
        }
        return List.copyOf(plants);
    }
}
