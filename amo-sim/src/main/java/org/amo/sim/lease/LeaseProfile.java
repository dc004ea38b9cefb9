package org.amo.sim.lease;

import org.amo.sim.Faults;

/**
 * Fault rates in {@code lease}; probabilities are per message, times are means in milliseconds, 0 for never.
 *
 * @param loss most that a run loses
 * @param duplication most that a run doubles
 * @param parked attempts that are kept back, to come when a server begins to serve, or much later
 * @param crashMillis between crashes of servers
 * @param failoverMillis between crashes of the authority's leader
 * @param clientMillis between deaths of clients
 * @param freezeMillis between stops of a process, as by SIGSTOP
 * @param clockMillis between steps of some wall clock, by up to an hour
 */
record LeaseProfile(
        double loss,
        double duplication,
        double parked,
        long crashMillis,
        long failoverMillis,
        long clientMillis,
        long freezeMillis,
        long clockMillis) {
    static LeaseProfile of(Faults faults) {
        return switch (faults) {
            case NONE -> new LeaseProfile(0, 0, 0, 0, 0, 0, 0, 0);
            case DEFAULT -> new LeaseProfile(0.2, 0.2, 0.1, 900, 2_500, 1_500, 1_500, 1_500);
            case HARSH -> new LeaseProfile(0.4, 0.4, 0.3, 400, 1_200, 700, 800, 500);
        };
    }
}
