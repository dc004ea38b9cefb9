package org.amo.benchmarks.jmh;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.amo.benchmarks.figures.Figures;

/** Ratios of JMH benchmarks that have a bar. */
final class JmhBars {
    private static final String PLAIN = "ClockBenchmark.plainMillis";
    private static final double MOST = 2;

    /** Benchmarks of the clock that the agent puts in the place of the JDK's, by the place of its reader. */
    private static final Map<String, String> REPLACED = new LinkedHashMap<>();

    static {
        REPLACED.put("outside", "ClockBenchmark.replacedMillisOutside");
        REPLACED.put("inside", "ClockBenchmark.replacedMillisInside");
    }

    private JmhBars() {}

    /**
     * The ratios and bars of the benchmarks that ran; none of a ratio with a side that did not.
     *
     * @param results JMH's JSON
     */
    static Figures of(JsonNode results) {
        Map<String, Double> scores = new LinkedHashMap<>();
        for (JsonNode result : results) {
            String name = result.path("benchmark").asText();
            scores.put(
                    name.replace(JmhBars.class.getPackageName() + ".", ""),
                    result.path("primaryMetric").path("score").asDouble(Double.NaN));
        }
        Figures figures = new Figures("jmh");
        Map<String, Object> ratios = new LinkedHashMap<>();
        REPLACED.forEach((place, benchmark) -> {
            if (scores.keySet().containsAll(List.of(PLAIN, benchmark))) {
                double ratio = scores.getOrDefault(benchmark, Double.NaN) / scores.getOrDefault(PLAIN, Double.NaN);
                ratios.put(place, ratio);
                figures.atMost("currentTimeMillis by the agent / the JDK's, " + place + " an operation", ratio, MOST);
            }
        });
        if (!ratios.isEmpty()) {
            figures.ratios().put("replacedMillisOverPlain", ratios);
        }
        return figures;
    }
}
