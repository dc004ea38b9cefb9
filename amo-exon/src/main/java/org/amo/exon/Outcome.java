package org.amo.exon;

/** The outcome of a message, told once. */
public enum Outcome {
    /** It is delivered, exactly once, in the sense that the receiver chose (ExonEndpointOptions of the receiver). */
    DELIVERED,
    /** It never left this node and never will: certainly not delivered. It may be sent again. */
    NOT_SENT,
    /** It left this node, and its arrival is unknown: delivered once or not at all. */
    UNKNOWN
}
