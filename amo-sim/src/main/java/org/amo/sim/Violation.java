package org.amo.sim;

import java.util.List;

/**
 * A check that failed.
 *
 * @param rule which, in a few words
 * @param detail the observation
 * @param trace the last events before it, oldest first
 */
public record Violation(String rule, String detail, List<String> trace) {
    public Violation {
        trace = List.copyOf(trace);
    }
}
