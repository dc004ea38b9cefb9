package org.amo.core.order;

/**
 * The health of a member's log, for the operator; no decision depends on it.
 *
 * @param trouble the cause that keeps this member from voting and serving, and the remedy, in one line; empty if there is
 *     none
 * @param repaired damaged places on disk that this process has found and that are whole again
 */
public record LogHealth(String trouble, long repaired) {
    public static final LogHealth SOUND = new LogHealth("", 0);
}
