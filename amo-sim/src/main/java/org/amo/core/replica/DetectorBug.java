package org.amo.core.replica;

/** Bugs planted in the comparison of digests, each of which {@code fts} has to find. */
enum DetectorBug implements FtsPlanted {
    NONE,
    @Bug(
            plant = "mark-before-execution",
            is = "a member compares its digest at a mark before it has executed up to the mark")
    MARK_BEFORE_EXECUTION,
    @Bug(plant = "minority-keeps-serving", is = "a member in the minority goes on answering clients")
    MINORITY_KEEPS_SERVING,
    @Bug(plant = "single-vote-decides", is = "a single digest speaks for the group")
    LESS_THAN_A_MAJORITY,
    @Bug(
            plant = "unconfirmed-snapshot-kept",
            is = "a member keeps its snapshot, and gives it away, before a majority has agreed on it")
    KEEPS_ANY_SNAPSHOT,
    /** In the shell. */
    @Bug(
            plant = "restart-forgets-verdict",
            is = "a diverged member that restarts answers clients before it is equal again")
    RESTART_FORGETS_VERDICT;
}
