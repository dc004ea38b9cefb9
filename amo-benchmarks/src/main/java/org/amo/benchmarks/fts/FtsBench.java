package org.amo.benchmarks.fts;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.amo.benchmarks.Bench;
import org.amo.benchmarks.cache.CacheBench;
import org.amo.benchmarks.figures.Figures;
import org.amo.benchmarks.figures.Spread;

/** {@code amo bench fts}: figures 2, 3, 4 and table 1 of Friedman and Hadad, and the replicated call against the plain one. */
public final class FtsBench implements Bench {
    private static final int[] FULL = {500, 750, 1_000, 1_500, 2_000, 2_500};
    private static final int[] QUICK = {500};

    /** {@code amo bench failover}. */
    public static Bench failover() {
        return new FailoverBench();
    }

    /** {@code amo bench java}: the replicated call without CORBA. */
    public static Bench withoutCorba() {
        return new JavaBench();
    }

    /** {@code amo bench sizing}. */
    public static Bench sizing() {
        return new SizingBench();
    }

    @Override
    public String name() {
        return "fts";
    }

    @Override
    public String description() {
        return "Replicated CORBA calls with and without acknowledgements, as Friedman and Hadad measure them, and"
                + " against plain JacORB.";
    }

    @Override
    public Figures measure(Run run) throws IOException, InterruptedException {
        Figures figures = new Figures(name());
        figures.settings().put("call", "set_greeting with a string of 15 characters");
        figures.settings().put("log", "memory");
        figures.settings().put("compiler", run.compiler());
        double entryBytes = CacheBench.liveEntryBytes();
        figures.settings().put("bytesPerLiveEntry", entryBytes);
        List<SackComparison.Point> points = new ArrayList<>();
        try (SackComparison comparison = new SackComparison(run, figures, entryBytes)) {
            comparison.start();
            for (int clients : run.quick() ? QUICK : FULL) {
                points.add(comparison.measure(clients));
            }
        }
        Map<String, Double> at500 = value(points.get(0).sides(), true);
        for (String ratio : List.of(
                "entriesTimeoutOverSack",
                "bytesTimeoutOverSack",
                "throughputSackOverTimeout",
                "sackShareOfEntriesPercent",
                "sackShareOfBytesPercent")) {
            figures.ratios().put(ratio, number(at500, ratio));
        }
        figures.atLeast("entries, time-out only / SACK, 500 clients", number(at500, "entriesTimeoutOverSack"), 50);
        figures.atLeast("bytes of the cache, time-out only / SACK", number(at500, "bytesTimeoutOverSack"), 20);
        for (SackComparison.Point point : points) {
            Map<String, Double> sack = value(point.sides(), true);
            String clients = ", " + point.clients() + " clients";
            figures.atLeast("throughput, SACK / time-out only" + clients, number(sack, "throughputSackOverTimeout"), 1);
            figures.atMost(
                    "SACK's share of ordered entries, %" + clients, number(sack, "sackShareOfEntriesPercent"), 0.05);
            figures.atMost("SACK's share of ordered bytes, %" + clients, number(sack, "sackShareOfBytesPercent"), 2);
            figures.atMost(
                    "cache = throughput x (deadline + skew), error" + clients,
                    number(value(point.sides(), false), "errorOfTheLaw"),
                    0.1);
            if (point.clients() == 2_500) {
                figures.atLeast(
                        "entries, time-out only / SACK, 2,500 clients", number(sack, "entriesTimeoutOverSack"), 10);
            }
        }
        plots(figures, points);
        ReplicatedOverPlain.measure(run, figures);
        ShellsOverPlain.measure(run, figures);
        StylesOverActive.measure(run, figures);
        ParallelOverSerial.measure(run, figures);
        run.progress().accept("bookkeeping of a call");
        Bookkeeping.measure(figures, run.quick(), medianOf(figures, "3 replicas, 1 thread"));
        return figures;
    }

    /** The median call of a row, in microseconds. */
    private static double medianOf(Figures figures, String row) {
        return figures.rows().stream()
                .filter(each -> each.name().equals(row))
                .map(each -> each.metrics().get("p50Micros"))
                .filter(Spread.class::isInstance)
                .mapToDouble(spread -> ((Spread) spread).median())
                .findFirst()
                .orElse(Double.NaN);
    }

    private static void plots(Figures figures, List<SackComparison.Point> points) {
        plot(figures, points, "fts-figure2-entries", "Figure 2: cache size", "live entries", "entries");
        plot(
                figures,
                points,
                "fts-figure3-heap",
                "Figure 3: server memory",
                "live heap of a replica, kB",
                "heapKilobytes");
        plot(figures, points, "fts-figure4-throughput", "Figure 4: throughput", "calls a second", "callsPerSecond");
    }

    private static void plot(
            Figures figures, List<SackComparison.Point> points, String file, String title, String y, String metric) {
        Map<String, Figures.Series> series = new LinkedHashMap<>();
        for (boolean sack : new boolean[] {false, true}) {
            List<Double> xs = new ArrayList<>();
            List<Double> ys = new ArrayList<>();
            for (SackComparison.Point point : points) {
                xs.add((double) point.clients());
                ys.add(number(value(point.sides(), sack), metric));
            }
            series.put(sack ? "SACK" : "time-out only", new Figures.Series(xs, ys));
        }
        figures.plots().add(new Figures.Plot(file, title, "clients", y, series));
    }

    private static Map<String, Double> value(Map<Boolean, Map<String, Double>> sides, boolean sack) {
        return sides.getOrDefault(sack, Map.of());
    }

    private static double number(Map<String, Double> values, String name) {
        return values.getOrDefault(name, Double.NaN);
    }
}
