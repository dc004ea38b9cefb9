package org.amo.linearizable.lease;

/**
 * The client ID of the paper: drawn by the authority when a client opens its lease, and never given twice.
 *
 * @param value from 1 to 2^62
 */
public record LeaseId(long value) {
    public static final long MAX_VALUE = 1L << 62;

    public LeaseId {
        if (value < 1 || value > MAX_VALUE) {
            throw new IllegalArgumentException("a lease id is between 1 and 2^62, not " + value);
        }
    }
}
