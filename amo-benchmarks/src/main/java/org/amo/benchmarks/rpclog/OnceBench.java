package org.amo.benchmarks.rpclog;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.amo.benchmarks.Bench;
import org.amo.benchmarks.figures.Figures;
import org.amo.once.OnceExecutor;
import org.amo.once.OnceOptions;

/**
 * {@code amo bench once}: calls under keys that their callers choose into a PostgreSQL, against the same transactions without a completion
 * record, with the cleaner running; and the cleaner by itself. The database is the user's.
 */
public final class OnceBench implements Bench {
    /** The environment variable with the URL of a PostgreSQL. */
    static final String URL = "BENCH_JDBC";

    private static final int KEYS_A_MINUTE = 100_000;
    private static final double MICROS_A_MINUTE = 60e6;
    private static final Duration PAUSE = Duration.ofMillis(50);
    private static final Duration LATE = Duration.ofSeconds(5);
    private static final int BATCH = 1_000;
    private static final double MEDIAN = 1.1;
    private static final double TAIL = 1.2;
    private static final int WARM_UP_BYTES = 100;

    /**
     * How much is measured.
     *
     * @param sizes of objects, in bytes
     * @param smallRuns whether a round has as few calls as in a quick run
     * @param minutes for which records expire beside the calls
     * @param keys that the cleaner removes by itself, and that stay
     */
    record Scale(List<Integer> sizes, int rounds, boolean smallRuns, int minutes, int keys) {
        static Scale of(boolean quick) {
            List<Integer> sizes = Arrays.stream(RpclogBench.SIZES).boxed().toList();
            return new Scale(sizes, 5, quick, quick ? 3 : 15, quick ? 50_000 : 200_000);
        }
    }

    @Override
    public String name() {
        return "once";
    }

    @Override
    public String description() {
        return "Calls under keys into a PostgreSQL, named by " + URL
                + ", against the same transactions without a record, with the cleaner running; the cleaner alone.";
    }

    @Override
    public Figures measure(Run run) throws IOException, InterruptedException {
        Figures figures = new Figures(name());
        Optional<String> url = Optional.ofNullable(System.getenv(URL));
        if (url.isEmpty()) {
            figures.remarks()
                    .add("Nothing was measured: set " + URL + " to the URL of a PostgreSQL, such as"
                            + " jdbc:postgresql://127.0.0.1/postgres?user=me; its schema " + BenchDatabase.SCHEMA
                            + " is made anew, and dropped at the end.");
            return figures;
        }
        return Bench.failingAs("the database", () -> {
            measure(run, figures, url.get(), Scale.of(run.quick()));
            return figures;
        });
    }

    static void measure(Run run, Figures figures, String url, Scale scale) throws Exception {
        figures.settings().put("rounds", scale.rounds());
        try (BenchDatabase database = BenchDatabase.create(url)) {
            figures.settings().put("database", database.version());
            latencies(run, figures, database, scale);
            cleaning(run, figures, database, scale.keys());
        }
        figures.remarks()
                .add(
                        "Each side has one connection, which stays open. A call under a key adds one row to the transaction of"
                                + " its caller, and two round trips.");
    }

    /** Call by call, first the one kind, then the other, while records expire and are removed. */
    private static void latencies(Run run, Figures figures, BenchDatabase database, Scale scale) throws Exception {
        int expiring = KEYS_A_MINUTE * scale.minutes();
        run.progress().accept(expiring + " records that expire meanwhile");
        database.insertRecords("expiring", expiring, Duration.ZERO, MICROS_A_MINUTE / KEYS_A_MINUTE);
        long start = System.nanoTime();
        try (BenchDatabase.Client calls = database.connect();
                BenchDatabase.Client cleans = database.connect()) {
            OnceExecutor.Cleaner cleaner = cleans.executor().cleanEvery(PAUSE);
            try {
                writes(run, figures, new DatabaseWrites(calls), scale);
            } finally {
                cleaner.close();
            }
        }
        double minutes = (System.nanoTime() - start) / 1e3 / MICROS_A_MINUTE;
        long left = database.records("expiring", Duration.ofDays(1));
        long late = database.records("expiring", LATE.negated());
        figures.row(
                "the cleaner beside them",
                Map.of("keysAMinute", KEYS_A_MINUTE),
                Map.of("removedAMinute", (expiring - left) / minutes, "late", late));
        figures.atMost("records that were there " + LATE.toSeconds() + " s behind their end", (double) late, 0);
        if (left == 0) {
            figures.violations().add("the cleaner had nothing left to do beside the last calls");
        }
    }

    private static void writes(Run run, Figures figures, DatabaseWrites writes, Scale scale) throws IOException {
        run.progress().accept("warming up");
        InterleavedWrites.measure(writes::regular, writes::once, WARM_UP_BYTES, 1, callsOf(scale, WARM_UP_BYTES));
        for (int size : scale.sizes()) {
            run.progress().accept("writes of " + size + " bytes");
            int count = callsOf(scale, size);
            InterleavedWrites measured =
                    InterleavedWrites.measure(writes::regular, writes::once, size, scale.rounds(), count);
            double median = measured.median().median();
            double tail = measured.tail().median();
            Map<String, Object> settings = Map.of("bytes", size, "callsARound", count);
            figures.row("regular", settings, measured.metrics(0));
            figures.row("under a key", settings, measured.metrics(1));
            figures.ratio("onceOverRegularMedian", "" + size, median);
            figures.ratio("onceOverRegularP99", "" + size, tail);
            figures.atMost("under a key / regular, median, " + size + " bytes", median, MEDIAN);
            figures.atMost("under a key / regular, p99, " + size + " bytes", tail, TAIL);
        }
    }

    private static int callsOf(Scale scale, int size) {
        return RpclogBench.calls(scale.smallRuns(), size);
    }

    /** As fast as it can, while live records are locked again and again by another connection, which waits for no lock. */
    private static void cleaning(Run run, Figures figures, BenchDatabase database, int keys) throws Exception {
        run.progress().accept("the cleaner alone, " + keys + " records");
        database.insertRecords("live", keys, OnceOptions.MAX_RETENTION, 0);
        database.insertRecords("expired", keys, Duration.ofDays(-1), 0);
        double seconds;
        LiveRecordLocks locks;
        try (BenchDatabase.Client cleans = database.connect();
                BenchDatabase.Client others = database.connect()) {
            locks = LiveRecordLocks.start(others, keys);
            long start = System.nanoTime();
            try {
                while (cleans.executor().clean(BATCH) == BATCH) {
                    // The next batch.
                }
                seconds = (System.nanoTime() - start) / 1e9;
            } finally {
                locks.end();
            }
        }
        if (database.records("expired", Duration.ZERO) > 0
                || database.records("live", OnceOptions.MAX_RETENTION.plusDays(1)) != keys) {
            throw new SQLException("the cleaner left expired records, or removed live ones");
        }
        double aMinute = keys / seconds * 60;
        figures.row(
                "the cleaner alone",
                Map.of("records", keys, "live", keys, "batch", BATCH),
                Map.of("removedAMinute", aMinute, "locksOfLiveRecords", locks.taken(), "refused", locks.refused()));
        figures.ratios().put("removedAMinute", aMinute);
        figures.atLeast("records removed a minute", aMinute, KEYS_A_MINUTE);
        if (locks.taken() == 0 || locks.refused() > 0) {
            figures.violations()
                    .add("beside the cleaner, " + locks.taken() + " locks of live records were free and "
                            + locks.refused() + " were not");
        }
    }
}
