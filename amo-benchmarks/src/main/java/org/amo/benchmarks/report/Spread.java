package org.amo.benchmarks.report;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the rounds of a measurement gave.
 *
 * @param median over the rounds
 * @param least of them
 * @param most of them
 */
public record Spread(double median, double least, double most) {

    public static Spread of(List<Double> rounds) {
        double[] sorted =
                rounds.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        if (sorted.length == 0) {
            throw new IllegalArgumentException("no rounds");
        }
        return new Spread(
                (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2,
                sorted[0],
                sorted[sorted.length - 1]);
    }

    /** The middle of some values. */
    public static double median(long[] values) {
        long[] sorted = values.clone();
        Arrays.sort(sorted);
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2.0;
    }

    /** As metrics of a row. */
    public Map<String, Double> metrics(String name) {
        Map<String, Double> metrics = new LinkedHashMap<>();
        metrics.put(name, median);
        metrics.put(name + "Least", least);
        metrics.put(name + "Most", most);
        return metrics;
    }
}
