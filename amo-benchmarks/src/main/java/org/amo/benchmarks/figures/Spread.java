package org.amo.benchmarks.figures;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * A figure measured several times.
 *
 * @param median over the rounds
 * @param least the smallest
 * @param most the largest
 * @param rounds how often it was measured
 */
public record Spread(double median, double least, double most, int rounds) {

    /**
     * NaN throughout when nothing was measured, or a round has no value: its place among the others is not known. A round in which the base
     * of a ratio did nothing is the largest of all, and infinite.
     */
    public static Spread of(Collection<Double> values) {
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        if (sorted.length == 0 || Double.isNaN(sorted[sorted.length - 1])) {
            return new Spread(Double.NaN, Double.NaN, Double.NaN, sorted.length);
        }
        double median = (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
        return new Spread(median, sorted[0], sorted[sorted.length - 1], sorted.length);
    }

    /** A metric of each round. */
    public static <T> Spread of(List<T> rounds, ToDoubleFunction<T> metric) {
        return of(rounds.stream().mapToDouble(metric).boxed().toList());
    }

    /** A metric of one side over that of the other, round by round. */
    public static <T> Spread ratio(List<T> above, List<T> below, ToDoubleFunction<T> metric) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < Math.min(above.size(), below.size()); i++) {
            ratios.add(metric.applyAsDouble(above.get(i)) / metric.applyAsDouble(below.get(i)));
        }
        return of(ratios);
    }

    /** The middle of some values, of which there is one at least. */
    public static double median(long[] values) {
        long[] sorted = values.clone();
        Arrays.sort(sorted);
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2.0;
    }
}
