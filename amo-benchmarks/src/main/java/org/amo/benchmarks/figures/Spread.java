package org.amo.benchmarks.figures;

import java.util.Arrays;
import java.util.Collection;

/**
 * A figure measured several times.
 *
 * @param median over the rounds
 * @param least the smallest
 * @param most the largest
 * @param rounds how often it was measured
 */
public record Spread(double median, double least, double most, int rounds) {

    /** NaN throughout when nothing was measured. */
    public static Spread of(Collection<Double> values) {
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        if (sorted.length == 0) {
            return new Spread(Double.NaN, Double.NaN, Double.NaN, 0);
        }
        double median = (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
        return new Spread(median, sorted[0], sorted[sorted.length - 1], sorted.length);
    }

    /** The middle of some values, of which there is one at least. */
    public static double median(long[] values) {
        long[] sorted = values.clone();
        Arrays.sort(sorted);
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2.0;
    }
}
