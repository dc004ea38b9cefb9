package org.amo.lab.chaos;

import java.util.Map;
import org.amo.examples.counter.Counters;

/** Counters of a group whose operations call the same operations of the next group of a chain. */
interface ChainedCounters extends Counters {
    String REPLIED = "replied";
    String NOT_EXECUTED = "notExecuted";
    String UNKNOWN = "unknown";

    /** By counter: the sum of the changes that the next group does not have, as it said. */
    Map<String, Long> missed();

    /** By counter: the sum of the sizes of changes that the next group has or has not. */
    Map<String, Long> doubtful();

    /** Number of nested calls by their outcome: {@link #REPLIED}, {@link #NOT_EXECUTED}, {@link #UNKNOWN}. */
    Map<String, Long> outcomes();
}
