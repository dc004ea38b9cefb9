package org.amo.benchmarks.rpclog;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.amo.benchmarks.Bench;
import org.amo.benchmarks.OwnHeap;
import org.amo.benchmarks.figures.Figures;
import org.amo.benchmarks.figures.Spread;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.lease.LeaseId;
import org.amo.linearizable.lease.LeaseValidator;
import org.amo.linearizable.rocksdb.Durability;
import org.amo.linearizable.rocksdb.LinearizableStore;
import org.amo.linearizable.rocksdb.StoreOutcome;
import org.amo.linearizable.rpclog.PendingRemovals;
import org.amo.linearizable.rpclog.RpcHeader;
import org.amo.linearizable.rpclog.RpcId;
import org.amo.linearizable.rpclog.RpcLogOptions;
import org.amo.linearizable.rpclog.UnackedRpcResults;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.DBOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/** {@code amo bench rpclog}: Park's table II and section VI-B over RocksDB, in one process and over a network. */
public final class RpclogBench implements Bench {
    /** Bytes of an object, as in table II. */
    static final int[] SIZES = {100, 1_000, 10_000, 100_000, 1_000_000};

    private static final int CLIENTS = 1_000_000;
    private static final int OUTSTANDING = 64;
    private static final int KEYS = InterleavedWrites.KEYS;

    @Override
    public String name() {
        return "rpclog";
    }

    @Override
    public String description() {
        return "Linearizable against regular writes of the same store, with an fsync each, in one process and over a"
                + " connection; its recovery; bytes of a client; renewals.";
    }

    @Override
    public Figures measure(Run run) throws IOException, InterruptedException {
        Figures figures = new Figures(name());
        int rounds = 5;
        figures.settings().put("rounds", rounds);
        figures.settings().put("keys", KEYS);
        warmUp(run);
        latencies(run, figures, rounds);
        for (Durability durability : Durability.values()) {
            throughput(run, figures, durability);
        }
        RemoteWrites.measure(run, figures, rounds);
        run.progress().accept("idle clients in memory");
        double bytes = bytesPerIdleClient();
        figures.ratios().put("bytesPerIdleClient", bytes);
        figures.row("table", Map.of("clients", CLIENTS), Map.of("bytesPerIdleClient", bytes));
        figures.atMost("bytes of an idle client", bytes, 72);
        recovery(run, figures);
        RenewalCost.measure(run, figures);
        return figures;
    }

    /** Until both kinds are compiled: a call with an fsync comes too seldom for that, and the store is compared. */
    private static void warmUp(Run run) throws IOException {
        run.progress().accept("warming up");
        try (StoreClient client = new StoreClient(run.folder().resolve("warm"), Durability.FILE, 1)) {
            InterleavedWrites.measure(client, 100, 1, 15_000);
        }
    }

    /** Call by call, first the one kind, then the other. */
    private static void latencies(Run run, Figures figures, int rounds) throws IOException {
        Map<String, Object> medians = new LinkedHashMap<>();
        Map<String, Object> tails = new LinkedHashMap<>();
        for (Durability durability : Durability.values()) {
            try (StoreClient client = new StoreClient(run.folder().resolve("latency " + durability), durability, 1)) {
                for (int size : SIZES) {
                    int calls = calls(run.quick(), size);
                    run.progress().accept(durability + ", " + size + " bytes");
                    InterleavedWrites measured = InterleavedWrites.measure(client, size, rounds, calls);
                    Map<String, Object> settings =
                            Map.of("bytes", size, "durability", "" + durability, "callsARound", calls);
                    if (durability != Durability.FSYNC) {
                        figures.row("regular", settings, measured.metrics(0));
                        figures.row("linearizable", settings, measured.metrics(1));
                        continue;
                    }
                    measured.addTo(figures, "", settings, size);
                    medians.put("" + size, measured.median().median());
                    tails.put("" + size, measured.tail().median());
                    if (size == SIZES[0]) {
                        figures.plots()
                                .add(measured.distribution(
                                        "rpclog-figure4-latency", "a write of " + size + " bytes with an fsync"));
                    }
                }
            }
        }
        figures.ratios().put("linearizableOverRegularMedian", medians);
        figures.ratios().put("linearizableOverRegularP99", tails);
    }

    /** Of a round. */
    static int calls(boolean quick, int size) {
        return Math.max(quick ? 60 : 300, (quick ? 300_000 : 3_000_000) / (size + 1_000));
    }

    /** Calls that share writes. */
    private static void throughput(Run run, Figures figures, Durability durability) throws IOException {
        run.progress().accept(durability + ", " + OUTSTANDING + " calls outstanding");
        byte[] value = new byte[100];
        int calls = run.quick() ? 5_000 : 50_000;
        List<List<Double>> perSecond = List.of(new ArrayList<>(), new ArrayList<>());
        Path directory = run.folder().resolve("many " + durability);
        long bytesOnDisk;
        try (StoreClient client = new StoreClient(directory, durability, 1)) {
            for (int round = 0; round < 6; round++) {
                for (int kind : round % 2 == 0 ? new int[] {0, 1} : new int[] {1, 0}) {
                    long start = System.nanoTime();
                    pipelined(
                            calls,
                            OUTSTANDING,
                            i -> kind == 0
                                    ? client.regular(StoreClient.key(i % KEYS), value)
                                    : client.linearizable(StoreClient.key(i % KEYS), value));
                    if (round > 0) {
                        perSecond.get(kind).add(calls * 1e9 / (System.nanoTime() - start));
                    }
                }
            }
            bytesOnDisk = bytesIn(directory);
        }
        Map<String, Object> settings = Map.of("bytes", 100, "durability", "" + durability, "outstanding", OUTSTANDING);
        figures.row("regular, many at once", settings, Map.of("callsPerSecond", Spread.of(perSecond.get(0))));
        figures.row("linearizable, many at once", settings, Map.of("callsPerSecond", Spread.of(perSecond.get(1))));
        figures.row(
                "the store after them",
                Map.of("objects", KEYS, "linearizableCalls", 6 * calls, "regularCalls", 6 * calls),
                Map.of("bytesOnDisk", bytesOnDisk));
    }

    /** Tables and the log of writes. */
    private static long bytesIn(Path directory) throws IOException {
        long bytes = 0;
        try (Stream<Path> files = Files.list(directory)) {
            for (Path each : files.filter(Files::isRegularFile).toList()) {
                bytes += Files.size(each);
            }
        }
        return bytes;
    }

    /** Makes so many calls, and waits for all of them. */
    private static void pipelined(int calls, int outstanding, IntFunction<CompletableFuture<StoreOutcome>> call)
            throws IOException {
        Deque<CompletableFuture<StoreOutcome>> out = new ArrayDeque<>();
        for (int i = 0; i < calls; i++) {
            if (out.size() == outstanding) {
                StoreClient.done(out.remove().join());
            }
            out.add(call.apply(i));
        }
        while (!out.isEmpty()) {
            StoreClient.done(out.remove().join());
        }
    }

    /** Each with one kept result, as after its last call. */
    private static double bytesPerIdleClient() {
        LeaseValidator lease = new LeaseValidator();
        lease.onLearned(lease.mustLearn(), AlwaysLive.NOW);
        long before = OwnHeap.usedBytes();
        UnackedRpcResults table =
                new UnackedRpcResults(lease, RpcLogOptions.builder(7).build(), new PendingRemovals());
        for (int i = 1; i <= CLIENTS; i++) {
            RpcId last = new RpcId(new LeaseId(i), 5);
            table.start(new RpcHeader(last, 4, AlwaysLive.EXPIRES, ClusterTime.ZERO));
            table.complete(last);
        }
        double bytes = (OwnHeap.usedBytes() - before) / (double) CLIENTS;
        if (table.clients() != CLIENTS) {
            throw new IllegalStateException("only " + table.clients() + " clients");
        }
        return bytes;
    }

    /** Opening the store, until it serves, against RocksDB that opens and looks at every row. */
    private static void recovery(Run run, Figures figures) throws IOException {
        int keys = run.quick() ? 200_000 : 1_000_000;
        int results = keys / 10;
        Path directory = run.folder().resolve("recovery");
        run.progress().accept(keys + " keys, " + results + " unacknowledged results");
        byte[] value = new byte[100];
        new Random(1).nextBytes(value);
        try (StoreClient client = new StoreClient(directory, Durability.FILE, 1)) {
            pipelined(
                    keys,
                    1_000,
                    i -> i % 10 == 0
                            ? client.unacknowledged(2 + i, StoreClient.key(i), value)
                            : client.regular(StoreClient.key(i), value));
        }
        List<Double> ratios = new ArrayList<>();
        List<Double> scans = new ArrayList<>();
        List<Double> recoveries = new ArrayList<>();
        double bytesOfARecord = 0;
        for (int round = -1; round < 5; round++) {
            double[] millis = new double[2];
            for (int kind : round % 2 == 0 ? new int[] {0, 1} : new int[] {1, 0}) {
                long start = System.nanoTime();
                if (kind == 0) {
                    bytesOfARecord = scan(directory, keys + results);
                } else {
                    try (LinearizableStore store = StoreClient.open(directory, Durability.FILE)) {
                        int clients = StoreClient.awaitReady(store).clients();
                        millis[1] = (System.nanoTime() - start) / 1e6;
                        if (clients != results) {
                            throw new IOException("recovered " + clients + " clients of " + results);
                        }
                    }
                }
                if (kind == 0) {
                    millis[0] = (System.nanoTime() - start) / 1e6;
                }
            }
            if (round >= 0) {
                scans.add(millis[0]);
                recoveries.add(millis[1]);
                ratios.add(millis[1] / millis[0]);
            }
        }
        Map<String, Object> settings = Map.of("keys", keys, "unacknowledged", results);
        figures.row("RocksDB, open and scan", settings, Map.of("millis", Spread.of(scans)));
        figures.row("recovery", settings, Map.of("millis", Spread.of(recoveries)));
        figures.row(
                "record on disk, key and value, as written",
                Map.of("resultBytes", StoreClient.RESULT_BYTES),
                Map.of("bytes", bytesOfARecord));
        double ratio = Spread.of(ratios).median();
        figures.ratios().put("recoveryOverScan", ratio);
        figures.atMost("recovery / RocksDB's open and scan", ratio, 1.2);
        figures.remarks()
                .add("Recovery reads the rpc log alone: objects stay where they are until they are asked for.");
    }

    /** @return bytes of a row of the rpc log, on average */
    private static double scan(Path directory, int least) throws IOException {
        List<ColumnFamilyDescriptor> families = List.of(
                new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY),
                new ColumnFamilyDescriptor(new byte[] {'o'}),
                new ColumnFamilyDescriptor(new byte[] {'r'}));
        List<ColumnFamilyHandle> handles = new ArrayList<>();
        long rows = 0;
        long records = 0;
        long bytesOfRecords = 0;
        try (DBOptions options = new DBOptions();
                RocksDB db = RocksDB.open(options, directory.toString(), families, handles)) {
            for (int family = 0; family < handles.size(); family++) {
                boolean ofCalls = family == 2;
                try (RocksIterator each = db.newIterator(handles.get(family))) {
                    for (each.seekToFirst(); each.isValid(); each.next()) {
                        int value = each.value().length;
                        rows += value > 0 ? 1 : 0;
                        records += ofCalls ? 1 : 0;
                        bytesOfRecords += ofCalls ? each.key().length + value : 0;
                    }
                }
            }
            handles.forEach(ColumnFamilyHandle::close);
        } catch (RocksDBException e) {
            throw new IOException("cannot scan: " + e.getMessage(), e);
        }
        if (rows < least) {
            throw new IOException("scanned " + rows + " rows of " + least);
        }
        return (double) bytesOfRecords / records;
    }
}
