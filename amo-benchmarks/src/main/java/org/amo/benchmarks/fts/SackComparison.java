package org.amo.benchmarks.fts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.amo.benchmarks.Bench.Run;
import org.amo.benchmarks.figures.Figures;
import org.amo.benchmarks.figures.Spread;
import org.amo.core.order.Member;
import org.amo.interceptors.client.JacorbClientDefaults;
import org.amo.replication.FreePorts;

/**
 * Friedman and Hadad, section 3: four replicas and many clients in a closed loop, with selective acknowledgements and with the
 * time-out alone. Both sides call the same replicas in turns, A B B A; a turn is longer than an entry lives, so that at
 * its end nothing of the other side is left and the cache is full.
 */
final class SackComparison implements AutoCloseable {
    private static final int REPLICAS = 4;
    private static final int CLIENTS_AN_ORB = 125;
    private static final long DEADLINE_MILLIS = 10_000;
    private static final long SKEW_MILLIS = 2_000;
    private static final long LIFE_MILLIS = DEADLINE_MILLIS + SKEW_MILLIS;

    private final Run run;
    private final Figures figures;
    private final double entryBytes;
    private final List<Member> members;
    private final List<ServerProcess> replicas = new ArrayList<>();

    /** The figures at a turn's end. */
    private record Turn(
            double callsPerSecond,
            double entries,
            double replyBytes,
            double cacheBytes,
            double lawError,
            double sackEntriesPercent,
            double sackBytesPercent,
            double bytesPerRequest,
            double sackBytesPerRequest,
            double heapKilobytes) {}

    /** The medians that the plots want. */
    record Point(int clients, Map<Boolean, Map<String, Double>> sides) {}

    /** @param entryBytes cost of a live entry beyond its reply, for the bytes of the whole cache */
    SackComparison(Run run, Figures figures, double entryBytes) throws IOException {
        this.run = run;
        this.figures = figures;
        this.entryBytes = entryBytes;
        this.members = FreePorts.members(REPLICAS);
    }

    /** Starts the replicas, which serve all numbers of clients: so they need to become warm only once. */
    void start() throws IOException, InterruptedException {
        Path folder = Files.createDirectories(run.folder().resolve("sack"));
        replicas.addAll(BankGroup.start(HelloServer.class, folder, members, run.jvmFlags("-Xmx2g"), new ArrayList<>()));
        replicas.get(0).awaitReference();
        BankReplicaStatus.await(members);
    }

    @Override
    public void close() throws IOException {
        ReplicatedOverPlain.closeAll(List.copyOf(replicas));
    }

    Point measure(int clients) throws IOException, InterruptedException {
        int pairs = run.quick() ? 2 : 5;
        List<AutoCloseable> open = new ArrayList<>();
        try {
            String reference = replicas.get(0).awaitReference();
            Side with = side(true, clients, reference, open);
            Side without = side(false, clients, reference, open);
            WarmUp.all(run, List.of(with, without));
            List<Turn> on = new ArrayList<>();
            List<Turn> off = new ArrayList<>();
            for (int pair = 0; pair < pairs; pair++) {
                boolean first = pair % 2 == 0;
                (first ? on : off).add(turn(first ? with : without));
                (first ? off : on).add(turn(first ? without : with));
            }
            for (Side side : List.of(with, without)) {
                side.noteFailures(figures, side.name() + ", " + clients + " clients");
            }
            return record(clients, on, off);
        } finally {
            ReplicatedOverPlain.closeAll(open);
        }
    }

    private Side side(boolean sack, int clients, String reference, List<AutoCloseable> open) {
        Map<String, String> properties = new LinkedHashMap<>(JacorbClientDefaults.properties());
        properties.put("amo.deadlineMillis", Long.toString(DEADLINE_MILLIS));
        properties.put("amo.sack", sack ? "on" : "off");
        List<CallLoad> loads = new ArrayList<>();
        for (int left = clients; left > 0; left -= CLIENTS_AN_ORB) {
            loads.add(CallLoad.greetings(BankGroup.client(properties), reference, Math.min(left, CLIENTS_AN_ORB)));
        }
        Side side = new Side(sack ? "SACK" : "time-out only", loads, replicas);
        open.add(side);
        return side;
    }

    private Turn turn(Side side) throws IOException, InterruptedException {
        int samples = run.quick() ? 2 : 5;
        side.resume();
        TimeUnit.MILLISECONDS.sleep(500);
        BankReplicaStatus before = BankReplicaStatus.ask(members.get(0));
        long start = System.nanoTime();
        List<Double> entries = new ArrayList<>();
        List<Double> replyBytes = new ArrayList<>();
        List<Double> cacheBytes = new ArrayList<>();
        List<Double> lawErrors = new ArrayList<>();
        TimeUnit.MILLISECONDS.sleep(LIFE_MILLIS - 500);
        for (int sample = 0; sample < samples; sample++) {
            // Executed in the life of an entry up to now: a cache that knows only the time-out must hold as many.
            TimeUnit.MILLISECONDS.sleep(500);
            BankReplicaStatus now = BankReplicaStatus.ask(members.get(0));
            double live = now.number("entries");
            entries.add(live);
            replyBytes.add((double) now.number("bytes"));
            cacheBytes.add(now.number("bytes") + live * entryBytes);
            double seconds = (System.nanoTime() - start) / 1e9;
            double perSecond = (now.executed() - before.executed()) / seconds;
            lawErrors.add(Math.abs(live / (perSecond * LIFE_MILLIS / 1e3) - 1));
        }
        BankReplicaStatus after = BankReplicaStatus.ask(members.get(0));
        double seconds = (System.nanoTime() - start) / 1e9;
        double heap = LiveHeap.kilobytes(replicas.get(0).pid());
        side.pause();
        long executed = after.executed() - before.executed();
        double orderedBytes = after.number("orderedBytes") - before.number("orderedBytes");
        double sackBytes = after.number("sackBytes") - before.number("sackBytes");
        double sackEntries = after.entriesWithAcknowledgements() - before.entriesWithAcknowledgements();
        Turn turn = new Turn(
                executed / seconds,
                Spread.of(entries).median(),
                Spread.of(replyBytes).median(),
                Spread.of(cacheBytes).median(),
                Spread.of(lawErrors).median(),
                100 * sackEntries / Math.max(1, after.entries() - before.entries()),
                100 * sackBytes / Math.max(1, orderedBytes),
                orderedBytes / Math.max(1, executed),
                sackBytes / Math.max(1, executed),
                heap);
        run.progress()
                .accept("%s: %.0f/s, %.0f entries, %.0f kB heap"
                        .formatted(side.name(), turn.callsPerSecond, turn.entries, turn.heapKilobytes));
        return turn;
    }

    private Point record(int clients, List<Turn> on, List<Turn> off) {
        Map<Boolean, Map<String, Double>> sides = new LinkedHashMap<>();
        for (boolean sack : new boolean[] {true, false}) {
            List<Turn> turns = sack ? on : off;
            Map<String, Object> metrics = new LinkedHashMap<>();
            metrics.put("callsPerSecond", Spread.of(turns, Turn::callsPerSecond));
            metrics.put("entries", Spread.of(turns, Turn::entries));
            metrics.put("replyBytes", Spread.of(turns, Turn::replyBytes));
            metrics.put("cacheBytes", Spread.of(turns, Turn::cacheBytes));
            metrics.put("heapKilobytes", Spread.of(turns, Turn::heapKilobytes));
            metrics.put("orderedBytesPerRequest", Spread.of(turns, Turn::bytesPerRequest));
            if (sack) {
                metrics.put("sackBytesPerRequest", Spread.of(turns, Turn::sackBytesPerRequest));
                metrics.put("sackShareOfEntriesPercent", Spread.of(turns, Turn::sackEntriesPercent));
                metrics.put("sackShareOfBytesPercent", Spread.of(turns, Turn::sackBytesPercent));
                // The paper's 32.9 % is the size of its SACK over the size of its request: both definitions.
                metrics.put(
                        "sackOverRestOfBytesPercent",
                        Spread.of(turns, turn -> turn.sackBytesPercent() / (1 - turn.sackBytesPercent() / 100)));
            } else {
                metrics.put("errorOfTheLaw", Spread.of(turns, Turn::lawError));
            }
            figures.row(
                    sack ? "SACK" : "time-out only",
                    Map.of("clients", clients, "replicas", REPLICAS, "deadlineMillis", DEADLINE_MILLIS),
                    metrics);
            Map<String, Double> medians = new LinkedHashMap<>();
            metrics.forEach((name, value) -> medians.put(name, ((Spread) value).median()));
            sides.put(sack, medians);
        }
        Map<String, Object> ratios = new LinkedHashMap<>();
        ratios.put("entriesTimeoutOverSack", ratio(off, on, Turn::entries));
        ratios.put("bytesTimeoutOverSack", ratio(off, on, Turn::cacheBytes));
        ratios.put("throughputSackOverTimeout", ratio(on, off, Turn::callsPerSecond));
        ratios.put("heapTimeoutOverSack", ratio(off, on, Turn::heapKilobytes));
        figures.row("ratios", Map.of("clients", clients), ratios);
        Map<String, Double> medians = new LinkedHashMap<>();
        ratios.forEach((name, value) -> medians.put(name, ((Spread) value).median()));
        sides.computeIfAbsent(true, key -> new LinkedHashMap<>()).putAll(medians);
        return new Point(clients, sides);
    }

    private static Spread ratio(List<Turn> above, List<Turn> below, java.util.function.ToDoubleFunction<Turn> metric) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < above.size(); i++) {
            ratios.add(metric.applyAsDouble(above.get(i)) / Math.max(1, metric.applyAsDouble(below.get(i))));
        }
        return Spread.of(ratios);
    }
}
