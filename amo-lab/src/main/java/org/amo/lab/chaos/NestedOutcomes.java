package org.amo.lab.chaos;

import java.util.Map;

/**
 * How the nested calls of a group in a chain ended.
 *
 * @param replied calls with a reply
 * @param notExecuted calls that certainly did not run
 * @param unknown calls that may have run
 */
record NestedOutcomes(long replied, long notExecuted, long unknown) {

    /** From the group's own counts. */
    static NestedOutcomes of(Map<String, Long> counts) {
        return new NestedOutcomes(
                counts.getOrDefault(ChainedCounters.REPLIED, 0L),
                counts.getOrDefault(ChainedCounters.NOT_EXECUTED, 0L),
                counts.getOrDefault(ChainedCounters.UNKNOWN, 0L));
    }

    long calls() {
        return replied + notExecuted + unknown;
    }

    /**
     * Whether more calls went without a reply than faults explain. One outage beyond the deadline meets one call of each client, and the
     * clients' calls have the same limit in percent.
     *
     * @param clients that call at the same time
     */
    boolean lackReplies(int clients) {
        double most = Math.max(clients, calls() * ChaosResult.MOST_UNKNOWN_PERCENT / 100);
        return notExecuted + unknown > most;
    }
}
