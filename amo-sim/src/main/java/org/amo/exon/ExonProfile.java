package org.amo.exon;

import org.amo.sim.Faults;

/**
 * Fault rates in {@code exon}; probabilities are per datagram, times are means in milliseconds, 0 for never.
 *
 * @param loss most that a run loses
 * @param duplication most that a run doubles
 * @param held datagrams that come much later, after records have gone
 * @param crashMillis between crashes in the whole world
 * @param freezeMillis between stops of a process, as by SIGSTOP
 * @param cutMillis between cuts of one direction between two nodes
 * @param moveMillis between changes of a node's address
 */
record ExonProfile(
        double loss,
        double duplication,
        double held,
        long crashMillis,
        long freezeMillis,
        long cutMillis,
        long moveMillis) {
    static ExonProfile of(Faults faults) {
        return switch (faults) {
            case NONE -> new ExonProfile(0, 0, 0, 0, 0, 0, 0);
            case DEFAULT -> new ExonProfile(0.4, 0.4, 0.08, 3_000, 2_500, 2_500, 1_500);
            case HARSH -> new ExonProfile(0.7, 0.6, 0.2, 800, 1_000, 1_000, 500);
        };
    }
}
