package org.amo.exon;

/** What became of a message, told once. */
public enum Outcome {
    /** The receiver's process took it, exactly once. */
    DELIVERED,
    /** It never left this node and never will: certainly not delivered. It may be sent again. */
    NOT_SENT,
    /** It left this node and nobody can say whether it arrived: delivered once or not at all. */
    UNKNOWN
}
