package org.amo.core.client;

/** Planted bugs of a client that sends attempts as datagrams. */
public enum DatagramBug {
    NONE,
    /** A refusal accounts for an attempt that left as a datagram. */
    REFUSAL_COUNTS,
    /** A later attempt of a call takes a new number. */
    NEW_NUMBER,
    /** A later attempt of a call takes its own timestamp. */
    NEW_TIMESTAMP
}
