package org.amo.dpg;

import java.util.LinkedHashMap;
import java.util.Map;

/** Counts the events of a {@code dpg} run, by the names that {@code ./amo sim dpg} prints. */
final class DpgRunMetrics {
    private final Map<String, Long> counts = new LinkedHashMap<>();

    void add(String name, long count) {
        counts.merge(name, count, Long::sum);
    }

    /** A detector inferred contiguity. */
    void onInference(boolean isTrue) {
        add("contiguities", 1);
        add("falseContiguities", isTrue ? 0 : 1);
    }

    /** A process ends, or the run does. */
    void onEnd(DpgCounters counters) {
        add("marked", counters.marked());
        add("forced", counters.forced());
        add("chosen", counters.chosen());
        add("adopted", counters.adopted());
        add("seized", counters.seized());
        add("dummies", counters.dummies());
    }

    long count(String name) {
        return counts.getOrDefault(name, 0L);
    }

    @Override
    public String toString() {
        return counts.toString();
    }

    Map<String, Long> counts() {
        return counts;
    }
}
