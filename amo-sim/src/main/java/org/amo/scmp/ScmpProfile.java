package org.amo.scmp;

import org.amo.sim.Faults;

/**
 * The numbers of a fault profile for {@code scmp} and {@code scmp-rpc}.
 *
 * @param lost datagrams
 * @param repeated datagrams, up to three copies
 * @param slow up to ρ - ε
 * @param held ρ/2 to 3 ρ
 * @param crashEveryMillis mean; 0 for never
 * @param stepEveryMillis mean time between steps of clocks; 0 for never
 * @param badClocks probability that a sender's clock is wrong by up to an hour
 * @param badServerClocks probability that the server's clock steps too, up to an hour back
 * @param tightTables probability that the table holds a few connections only
 * @param slowDisks probability at a store that the disk is slow for a while
 */
record ScmpProfile(
        double lost,
        double repeated,
        double slow,
        double held,
        long crashEveryMillis,
        long stepEveryMillis,
        double badClocks,
        double badServerClocks,
        double tightTables,
        double slowDisks) {

    static ScmpProfile of(Faults faults) {
        return switch (faults) {
            case NONE -> new ScmpProfile(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
            case DEFAULT -> new ScmpProfile(0.05, 0.3, 0.1, 0.05, 3_000, 2_000, 0.3, 0.3, 0.3, 0.01);
            case HARSH -> new ScmpProfile(0.2, 0.5, 0.2, 0.15, 1_200, 700, 0.5, 0.5, 0.5, 0.05);
        };
    }
}
