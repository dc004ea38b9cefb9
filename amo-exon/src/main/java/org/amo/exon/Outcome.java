package org.amo.exon;

/** The outcome of a message, told once. */
public enum Outcome {
    /** The receiver's process took it, exactly once. */
    DELIVERED,
    /** It never left this node and never will: certainly not delivered. It may be sent again. */
    NOT_SENT,
    /** It left this node, and its arrival is unknown: delivered once or not at all. */
    UNKNOWN
}
