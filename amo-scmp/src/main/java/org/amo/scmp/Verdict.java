package org.amo.scmp;

/** The verdict of the filter on a message. Only {@link #NEW} leaves a trace. */
public enum Verdict {
    /** Never accepted before: act on it. */
    NEW,
    /** At or below the last timestamp accepted on its connection (rule 2a). */
    DUPLICATE,
    /** The connection is unknown and the timestamp is at or below {@code upper}: perhaps a duplicate (rule 3a). */
    OLD,
    /** Beyond {@code latest} (rule 1): its timestamp may be accepted later. */
    TOO_EARLY,
    /** The table is full and nothing in it may be forgotten. Not in the paper: we never evict for room. */
    FULL
}
