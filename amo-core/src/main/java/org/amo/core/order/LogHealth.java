package org.amo.core.order;

/**
 * How a member's log is, for the operator; nothing is decided by it.
 *
 * @param trouble what keeps this member from voting and serving, and what to do about it, in one line; empty if nothing does
 * @param repaired damaged places on disk that this process has found and that are whole again
 */
public record LogHealth(String trouble, long repaired) {
    public static final LogHealth SOUND = new LogHealth("", 0);
}
