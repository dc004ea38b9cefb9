package org.amo.core.sim;

/**
 * How often what goes wrong in {@code dpg}; times are means in milliseconds for the whole world, 0 for never.
 *
 * @param loss most that a receiver loses of what the medium carries
 * @param slowMillis between spells in which a site fetches too slowly for its reception buffer
 * @param freezeMillis between stops of a process
 * @param crashMillis between crashes, each with a restart
 * @param cutMillis between cuts of one site from the medium
 */
record DpgProfile(double loss, long slowMillis, long freezeMillis, long crashMillis, long cutMillis) {
    static DpgProfile of(Faults faults) {
        return switch (faults) {
            case NONE -> new DpgProfile(0, 0, 0, 0, 0);
            case DEFAULT -> new DpgProfile(0.1, 300, 900, 1_200, 1_200);
            case HARSH -> new DpgProfile(0.25, 100, 400, 500, 500);
        };
    }
}
