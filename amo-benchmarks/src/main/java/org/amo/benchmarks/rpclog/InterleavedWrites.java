package org.amo.benchmarks.rpclog;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.amo.benchmarks.figures.Figures;
import org.amo.benchmarks.figures.Spread;

/**
 * Regular and linearizable writes of one client, call by call. A value; of each round: the sorted latencies of both kinds, and
 * microseconds of the median and the 99th percentile.
 */
record InterleavedWrites(List<long[][]> nanos, List<double[]> medians, List<double[]> tails) {
    /** Objects that are written by turns. */
    static final int KEYS = 100;

    /** A write that returns when it is durable. */
    interface Write {
        void write(int key, byte[] value) throws IOException;
    }

    static InterleavedWrites measure(StoreWrites client, int size, int rounds, int calls) throws IOException {
        return measure(
                (key, value) -> StoreClient.done(
                        client.regular(StoreClient.key(key), value).join()),
                (key, value) -> StoreClient.done(
                        client.linearizable(StoreClient.key(key), value).join()),
                size,
                rounds,
                calls);
    }

    /** A round before these is not counted. */
    static InterleavedWrites measure(Write regular, Write linearizable, int size, int rounds, int calls)
            throws IOException {
        byte[] value = new byte[size];
        new Random(size).nextBytes(value);
        InterleavedWrites measured = new InterleavedWrites(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        for (int round = -1; round < rounds; round++) {
            long[][] nanos = new long[2][calls];
            for (int i = 0; i < calls; i++) {
                for (int j = 0; j < 2; j++) {
                    // A B B A, both on the same keys.
                    int kind = i % 2 == 0 ? j : 1 - j;
                    long start = System.nanoTime();
                    (kind == 0 ? regular : linearizable).write(i % KEYS, value);
                    nanos[kind][i] = System.nanoTime() - start;
                }
            }
            if (round >= 0) {
                Arrays.sort(nanos[0]);
                Arrays.sort(nanos[1]);
                measured.nanos.add(nanos);
                measured.medians.add(new double[] {at(nanos[0], 0.5), at(nanos[1], 0.5)});
                measured.tails.add(new double[] {at(nanos[0], 0.99), at(nanos[1], 0.99)});
            }
        }
        return measured;
    }

    private static double at(long[] sorted, double part) {
        return sorted[(int) Math.min(sorted.length - 1L, Math.round(sorted.length * part))] / 1_000.0;
    }

    /** Two rows, and two bars: those of the paper's table II. */
    void addTo(Figures figures, String where, Map<String, Object> settings, int size) {
        figures.row("regular" + where, settings, metrics(0));
        figures.row("linearizable" + where, settings, metrics(1));
        figures.atMost("linearizable / regular" + where + ", median, " + size + " bytes", median().median(), 1.02);
        figures.atMost("linearizable / regular" + where + ", p99, " + size + " bytes", tail().median(), 1.2);
    }

    Map<String, Object> metrics(int kind) {
        return Map.of("medianMicros", spread(medians, kind), "p99Micros", spread(tails, kind));
    }

    /** Microseconds of the median of that kind, over the rounds. */
    double medianMicros(int kind) {
        return spread(medians, kind).median();
    }

    private static Spread spread(List<double[]> rounds, int kind) {
        return Spread.of(rounds.stream().map(each -> each[kind]).toList());
    }

    /** Linearizable over regular. */
    Spread median() {
        return Spread.of(medians.stream().map(each -> each[1] / each[0]).toList());
    }

    /** The same of the 99th percentile. */
    Spread tail() {
        return Spread.of(tails.stream().map(each -> each[1] / each[0]).toList());
    }

    /** Figure 4. */
    Figures.Plot distribution(String name, String title) {
        Map<String, Figures.Series> series = new LinkedHashMap<>();
        for (int kind = 0; kind < 2; kind++) {
            int each = kind;
            long[] sorted = nanos.stream()
                    .flatMapToLong(round -> Arrays.stream(round[each]))
                    .sorted()
                    .toArray();
            List<Double> micros = new ArrayList<>();
            List<Double> within = new ArrayList<>();
            for (int percent = 1; percent < 100; percent++) {
                micros.add(at(sorted, percent / 100.0));
                within.add((double) percent);
            }
            series.put(kind == 0 ? "regular" : "linearizable", new Figures.Series(micros, within));
        }
        return new Figures.Plot(
                name, "Figure 4: " + title, "microseconds", "per cent of the calls that took no longer", series);
    }
}
