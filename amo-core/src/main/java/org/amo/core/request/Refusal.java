package org.amo.core.request;

/** Why a replica did not run a copy of a request (the decision table, rows 1 and 3 to 7). */
public enum Refusal {
    /** Row 1: the id is in use for another request. This copy did not run. */
    ID_REUSED,
    /** Rows 3 and 4: resolved, or too old to tell. This copy did not run; another may have. */
    STALE,
    /** Row 5: the deadline had passed before any copy was accepted. It never ran and never will. */
    EXPIRED,
    /** Row 6: the timestamp lies too far in the group's future. This copy did not run. */
    TOO_EARLY,
    /** Row 7, or no majority to order it: no room. This copy did not run. */
    OVERLOADED
}
