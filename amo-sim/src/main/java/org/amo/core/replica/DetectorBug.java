package org.amo.core.replica;

import org.amo.sim.Plant;
import org.amo.sim.Planted;

/** Bugs planted in the comparison of digests, each of which {@code fts} has to find. */
enum DetectorBug implements Planted {
    NONE("", ""),
    MARK_BEFORE_EXECUTION(
            "mark-before-execution", "a member compares its digest at a mark before it has executed up to the mark"),
    MINORITY_KEEPS_SERVING("minority-keeps-serving", "a member in the minority goes on answering clients"),
    LESS_THAN_A_MAJORITY("single-vote-decides", "a single digest speaks for the group"),
    KEEPS_ANY_SNAPSHOT(
            "unconfirmed-snapshot-kept",
            "a member keeps its snapshot, and gives it away, before a majority has agreed on it"),
    /** In the shell. */
    RESTART_FORGETS_VERDICT(
            "restart-forgets-verdict", "a diverged member that restarts answers clients before it is equal again");

    private final Plant bug;

    DetectorBug(String plant, String description) {
        bug = new Plant("fts", plant, description);
    }

    @Override
    public Plant bug() {
        return bug;
    }
}
