package org.amo.sim;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.PrimitiveIterator;
import java.util.TreeMap;
import java.util.stream.LongStream;

/**
 * The totals of a range of seeds. The range stops at the first violation.
 *
 * @param protocol simulated
 * @param seeds run
 * @param operations issued
 * @param faults injected, by kind
 * @param firstViolation the result of the seed that failed, if one did
 * @param rows further figures by the kind of world, summed up; each has {@code seeds}
 */
public record SimTotals(
        String protocol,
        long seeds,
        long operations,
        Map<String, Long> faults,
        Optional<SimResult> firstViolation,
        Map<String, Map<String, Long>> rows) {
    public SimTotals {
        faults = Collections.unmodifiableMap(new TreeMap<>(faults));
        rows = Collections.unmodifiableMap(new TreeMap<>(rows));
    }

    /**
     * Runs the seeds from first to last, both included.
     *
     * @param each is told every seed that was run, for progress and tracing
     * @throws IllegalArgumentException for an unknown protocol or plant, or an empty range
     */
    public static SimTotals run(String protocol, long first, long last, SimOptions options, SimListener each) {
        if (last < first) {
            throw new IllegalArgumentException("no seeds from " + first + " to " + last + "; write FIRST..LAST");
        }
        return run(protocol, LongStream.rangeClosed(first, last), options, each);
    }

    /** Runs these seeds, in their order. */
    static SimTotals run(String protocol, LongStream which, SimOptions options, SimListener each) {
        Simulation simulation = Simulations.of(protocol);
        Map<String, Long> faults = new TreeMap<>();
        Map<String, Map<String, Long>> rows = new TreeMap<>();
        long operations = 0;
        long seeds = 0;
        for (PrimitiveIterator.OfLong next = which.iterator(); next.hasNext(); ) {
            SimResult result = simulation.run(options, next.nextLong());
            seeds++;
            operations += result.operations();
            result.faults().forEach((kind, count) -> faults.merge(kind, count, Long::sum));
            result.rows().forEach((row, counts) -> {
                Map<String, Long> sums = rows.computeIfAbsent(row, name -> new LinkedHashMap<>());
                sums.merge("seeds", 1L, Long::sum);
                counts.forEach((name, count) -> sums.merge(name, count, Long::sum));
            });
            each.onSeed(result);
            if (result.violation().isPresent()) {
                return new SimTotals(protocol, seeds, operations, faults, Optional.of(result), rows);
            }
        }
        return new SimTotals(protocol, seeds, operations, faults, Optional.empty(), rows);
    }

    /** All faults together. */
    public long faultCount() {
        return faults.values().stream().mapToLong(Long::longValue).sum();
    }

    /** The command that runs one seed again. */
    public static String replayCommand(String protocol, SimOptions options, long seed) {
        StringBuilder command = new StringBuilder("./amo sim ")
                .append(protocol)
                .append(" --seeds ")
                .append(seed)
                .append("..")
                .append(seed)
                .append(" --faults ")
                .append(options.faults());
        options.plant().ifPresent(name -> command.append(" --plant ").append(name));
        options.sites().ifPresent(sites -> command.append(" --sites ").append(sites));
        if (options.passive()) {
            command.append(" --style passive");
        }
        if (options.parallel()) {
            command.append(" --execute parallel");
        }
        return command.append(" --trace").toString();
    }

    /** Is told of every seed. */
    @FunctionalInterface
    public interface SimListener {
        void onSeed(SimResult result);
    }
}
