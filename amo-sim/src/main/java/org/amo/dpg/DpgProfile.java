package org.amo.dpg;

import org.amo.sim.Faults;

/**
 * Fault rates in {@code dpg}; times are means in milliseconds for the whole world, 0 for never.
 *
 * @param loss largest share of the medium's PDUs that a receiver loses
 * @param slowMillis between spells in which a site fetches too slowly for its reception buffer
 * @param freezeMillis between stops of a process
 * @param crashMillis between crashes, each with a restart
 * @param cutMillis between cuts of one site from the medium
 * @param excess most of the PDUs that take longer than a bounded delay, where delays are bounded
 * @param alike whether all runs are alike: that loss in each, and few buffers as said
 * @param scarce where runs are alike: whether buffers are few
 */
record DpgProfile(
        double loss,
        long slowMillis,
        long freezeMillis,
        long crashMillis,
        long cutMillis,
        double excess,
        boolean alike,
        boolean scarce) {
    static DpgProfile of(Faults faults) {
        return switch (faults) {
            case NONE -> new DpgProfile(0, 0, 0, 0, 0, 0, false, false);
            case DEFAULT -> new DpgProfile(0.1, 300, 900, 1_200, 1_200, 0.002, false, false);
            case HARSH -> new DpgProfile(0.25, 100, 400, 500, 500, 0.01, false, false);
        };
    }

    /** Nothing but losses. */
    static DpgProfile onlyLoss(double loss, boolean scarce) {
        return new DpgProfile(loss, 0, 0, 0, 0, 0, true, scarce);
    }
}
