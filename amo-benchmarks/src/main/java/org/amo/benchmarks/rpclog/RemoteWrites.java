package org.amo.benchmarks.rpclog;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.amo.benchmarks.Bench.Run;
import org.amo.benchmarks.figures.Figures;
import org.amo.benchmarks.figures.Spread;
import org.amo.benchmarks.order.LineProcess;
import org.amo.linearizable.rocksdb.Durability;
import org.amo.replication.rpc.RpcPeer;
import org.amo.replication.rpc.RpcTransport;

/** Park's table II and figures 4 to 6 with the client and the store in different processes. */
final class RemoteWrites {
    private static final String WHERE = ", over a connection";
    private static final int[] CLIENTS = {1, 2, 4, 8, 16, 32, 64};
    private static final long ANSWER_SECONDS = 60;

    /** Table II, in microseconds: by size the medians of regular and linearizable writes. */
    private static final List<Double> PAPER_REGULAR = List.of(15.2, 19.2, 35.1, 225.5, 2_200.0);

    private static final List<Double> PAPER_LINEARIZABLE = List.of(15.4, 19.3, 35.1, 224.6, 2_200.0);

    private RemoteWrites() {}

    static void measure(Run run, Figures figures, int rounds) throws IOException, InterruptedException {
        Path folder = Files.createDirectories(run.folder().resolve("remote"));
        try (LineProcess node = LineProcess.start(
                        "the store",
                        StoreNode.class,
                        run.jvmFlags("-Xmx512m", "-XX:+UseSerialGC"),
                        List.of(folder.resolve("store").toString(), Durability.FSYNC.name()),
                        folder.resolve("store.log"));
                RpcTransport transport = RpcTransport.open("amo-bench-store")) {
            node.awaitReady(ANSWER_SECONDS);
            int port = Integer.parseInt(node.ask("port?", ANSWER_SECONDS));
            RpcPeer peer = new RpcPeer("127.0.0.1", port, StoreNode.GROUP, Optional.empty());
            List<RemoteClient> clients = new ArrayList<>();
            for (int client = 1; client <= CLIENTS[CLIENTS.length - 1]; client++) {
                clients.add(RemoteClient.connect(transport, peer, client).join());
            }
            run.progress().accept("over a connection, warming up");
            warmUp(run, clients);
            latencies(run, figures, rounds, clients.get(0));
            throughput(run, figures, clients);
        } catch (CompletionException e) {
            throw new IOException("the store does not answer: " + e.getMessage(), e);
        }
        figures.remarks()
                .add(
                        "Over a connection: client and store are two processes of one machine, and each write is forced to its"
                                + " disk; the paper's servers keep objects in memory, with three backups, on Infiniband.");
    }

    private static void warmUp(Run run, List<RemoteClient> clients) throws IOException {
        long millis = run.quick() ? 1_000 : 10_000;
        perSecond(clients, false, millis);
        perSecond(clients, true, millis);
    }

    private static void latencies(Run run, Figures figures, int rounds, RemoteClient client) throws IOException {
        List<Double> sizes = new ArrayList<>();
        List<List<Double>> micros = List.of(new ArrayList<>(), new ArrayList<>());
        for (int size : RpclogBench.SIZES) {
            run.progress().accept("over a connection, " + size + " bytes");
            int calls = RpclogBench.calls(run.quick(), size);
            InterleavedWrites measured = InterleavedWrites.measure(client, size, rounds, calls);
            measured.addTo(figures, WHERE, Map.of("bytes", size, "durability", "FSYNC", "callsARound", calls), size);
            figures.ratio(
                    "linearizableOverRegularMedianRemote",
                    "" + size,
                    measured.median().median());
            figures.ratio(
                    "linearizableOverRegularP99Remote",
                    "" + size,
                    measured.tail().median());
            sizes.add((double) size);
            micros.get(0).add(measured.medianMicros(0));
            micros.get(1).add(measured.medianMicros(1));
            if (size == RpclogBench.SIZES[0]) {
                figures.plots()
                        .add(measured.distribution(
                                "rpclog-figure4-latency-remote",
                                "a write of " + size + " bytes with an fsync, over a connection"));
            }
        }
        Map<String, Figures.Series> series = new LinkedHashMap<>();
        series.put("regular", new Figures.Series(sizes, micros.get(0)));
        series.put("linearizable", new Figures.Series(sizes, micros.get(1)));
        series.put("regular, paper", new Figures.Series(sizes, PAPER_REGULAR));
        series.put("linearizable, paper", new Figures.Series(sizes, PAPER_LINEARIZABLE));
        figures.plots()
                .add(new Figures.Plot(
                        "rpclog-table2-latency",
                        "Table II: a write over a connection",
                        "bytes of the object",
                        "median, microseconds",
                        series));
    }

    /** Calls of so many clients share writes; each has one under way. */
    private static void throughput(Run run, Figures figures, List<RemoteClient> clients) throws IOException {
        int rounds = run.quick() ? 3 : 5;
        long millis = run.quick() ? 300 : 3_000;
        List<Double> x = new ArrayList<>();
        List<List<Double>> medians = List.of(new ArrayList<>(), new ArrayList<>());
        for (int count : CLIENTS) {
            run.progress().accept("over connections, " + count + " clients");
            List<RemoteClient> some = clients.subList(0, count);
            List<List<Double>> perSecond = List.of(new ArrayList<>(), new ArrayList<>());
            for (int round = 0; round < rounds; round++) {
                for (int kind : round % 2 == 0 ? new int[] {0, 1} : new int[] {1, 0}) {
                    perSecond.get(kind).add(perSecond(some, kind == 1, millis));
                }
            }
            Map<String, Object> settings = Map.of("bytes", 100, "durability", "FSYNC", "clients", count);
            for (int kind = 0; kind < 2; kind++) {
                Spread spread = Spread.of(perSecond.get(kind));
                figures.row(
                        (kind == 0 ? "regular" : "linearizable") + ", many clients" + WHERE,
                        settings,
                        Map.of("callsPerSecond", spread));
                medians.get(kind).add(spread.median());
            }
            x.add((double) count);
            int last = x.size() - 1;
            figures.ratio(
                    "linearizableOverRegularThroughputRemote",
                    "" + count,
                    medians.get(1).get(last) / medians.get(0).get(last));
        }
        Map<String, Figures.Series> series = new LinkedHashMap<>();
        series.put("regular", new Figures.Series(x, medians.get(0)));
        series.put("linearizable", new Figures.Series(x, medians.get(1)));
        figures.plots()
                .add(new Figures.Plot(
                        "rpclog-throughput-remote",
                        "Writes of 100 bytes with an fsync, over connections",
                        "clients",
                        "calls a second",
                        series));
    }

    private static double perSecond(List<RemoteClient> clients, boolean linearizable, long millis) throws IOException {
        byte[] value = new byte[100];
        Arrays.fill(value, (byte) 7);
        long start = System.nanoTime();
        long end = start + TimeUnit.MILLISECONDS.toNanos(millis);
        List<CompletableFuture<Long>> counts = clients.stream()
                .map(each -> each.writeUntil(end, linearizable, value))
                .toList();
        long answers = 0;
        for (CompletableFuture<Long> each : counts) {
            answers += each.join();
        }
        if (answers == 0) {
            throw new IOException("no write was answered within " + millis + " ms");
        }
        return answers * 1e9 / (System.nanoTime() - start);
    }
}
