package org.amo.lab.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The counters of a group whose operations make the same change in the next group of a chain, and its account of the nested calls
 * that failed.
 *
 * @param all value by counter
 * @param missed by counter: the sum of the changes that the next group does not have, as it said
 * @param doubtful by counter: the sum of the sizes of changes that the next group has or has not
 */
record CallerCounters(Map<String, Long> all, Map<String, Long> missed, Map<String, Long> doubtful) {

    /**
     * A counter of the next group that the calls of this group do not explain: one of them ran twice, or got lost.
     *
     * @param expected its value after the calls that did not fail
     */
    record Unexplained(String counter, long expected, long found) {}

    /**
     * Compares with the counters of the next group.
     *
     * @param next value by counter
     */
    List<Unexplained> compareWith(Map<String, Long> next) {
        Set<String> counters = new TreeSet<>(all.keySet());
        counters.addAll(next.keySet());
        List<Unexplained> unexplained = new ArrayList<>();
        for (String counter : counters) {
            long expected = all.getOrDefault(counter, 0L) - missed.getOrDefault(counter, 0L);
            long found = next.getOrDefault(counter, 0L);
            if (Math.abs(expected - found) > doubtful.getOrDefault(counter, 0L)) {
                unexplained.add(new Unexplained(counter, expected, found));
            }
        }
        return unexplained;
    }
}
