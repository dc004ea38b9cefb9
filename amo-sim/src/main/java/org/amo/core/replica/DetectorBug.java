package org.amo.core.replica;

/** Bugs planted in the comparison of digests. */
public enum DetectorBug {
    /** Nothing. */
    NONE,
    /** A member compares its digest at a mark before it has executed everything up to there. */
    MARK_BEFORE_EXECUTION,
    /** A member in the minority goes on answering clients. */
    MINORITY_KEEPS_SERVING,
    /** A single vote speaks for the group. */
    LESS_THAN_A_MAJORITY,
    /** A member keeps its snapshot, and gives it away, before a majority agreed on it. */
    KEEPS_ANY_SNAPSHOT,
    /** A diverged member that restarts answers clients before it is equal again. In the shell. */
    RESTART_FORGETS_VERDICT
}
