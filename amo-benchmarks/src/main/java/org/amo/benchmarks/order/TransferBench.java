package org.amo.benchmarks.order;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.amo.base.DaemonThreads;
import org.amo.benchmarks.Bench;
import org.amo.benchmarks.figures.Figures;
import org.amo.benchmarks.figures.Spread;
import org.amo.benchmarks.link.LinkEmulator;
import org.amo.benchmarks.link.LinkSettings;
import org.amo.core.order.LogListener;
import org.amo.core.order.LogSnapshot;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLog;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.ReplicaSettings;
import org.amo.replication.order.OrderedLogs;

/**
 * {@code amo bench transfer}: a member at the far end of a long link gets the snapshot of a group, over the connections between
 * members and by Exon, in turns. The time runs from the start of the member until the snapshot is in place.
 */
final class TransferBench implements Bench {
    private static final String TRANSFER = "amo.transfer";
    private static final String KEPT = "amo.keptEntries";
    private static final String BY_EXON = "exon";

    /** TCP with a control that takes each loss for congestion, as cubic does at this one. A network of its own may choose no other. */
    private static final String BY_RENO = "tcp reno";

    private static final String BY_DEFAULT = "tcp as the system has it";
    private static final List<String> WAYS = List.of(BY_RENO, BY_DEFAULT, BY_EXON);
    private static final Path CONTROL = Path.of("/proc/sys/net/ipv4/tcp_congestion_control");
    private static final String SECRET = "0123456789abcdef".repeat(4);

    private static final long DELAY_MICROS = 25_000;
    private static final double MEGABITS = 100;
    private static final int QUEUE_BYTES = 625_000;
    private static final double LOSS = 0.01;
    private static final long LONGEST_SECONDS = 300;
    private static final List<Member> MEMBERS =
            Member.parseList("a=10.77.0.1:7101/7201,b=10.77.0.1:7102/7202,c=10.77.0.2:7103/7203");

    @Override
    public String name() {
        return "transfer";
    }

    @Override
    public String description() {
        return "The time of a snapshot to a member behind 50 ms and 1 % of loss, by TCP and by Exon.";
    }

    @Override
    public Figures measure(Run run) throws IOException, InterruptedException {
        return Bench.failingAs("the transfer ended", () -> {
            Figures figures = new Figures(name());
            int bytes = run.quick() ? 4_000_000 : 16_000_000;
            int rounds = run.quick() ? 2 : 5;
            figures.settings().put("snapshotBytes", bytes);
            figures.settings().put("roundTripMillis", 2 * DELAY_MICROS / 1_000);
            figures.settings().put("megabitsPerSecond", MEGABITS);
            figures.settings().put("loss", LOSS);
            figures.settings()
                    .put("systemCongestionControl", Files.readString(CONTROL).strip());
            Map<String, List<Double>> seconds = new LinkedHashMap<>();
            WAYS.forEach(way -> seconds.put(way, new ArrayList<>()));
            for (int round = 0; round < rounds; round++) {
                for (Map.Entry<String, List<Double>> each : seconds.entrySet()) {
                    String way = each.getKey();
                    Path folder = run.folder().resolve(way.replace(' ', '-') + "-" + round);
                    double took = seconds(folder, way, bytes, round);
                    run.progress().accept("%s: %.1f s for %d MB".formatted(way, took, bytes / 1_000_000));
                    each.getValue().add(took);
                }
            }
            seconds.forEach((way, took) -> figures.row(
                    "snapshot by " + way,
                    Map.of("rounds", rounds),
                    Map.of(
                            "seconds",
                            Spread.of(took),
                            "megabytesPerSecond",
                            Spread.of(took.stream()
                                    .map(each -> bytes / 1e6 / each)
                                    .toList()))));
            Map<String, Object> ratios = new LinkedHashMap<>();
            WAYS.subList(0, WAYS.indexOf(BY_EXON))
                    .forEach(way -> ratios.put(
                            way,
                            Spread.ratio(taken(seconds, way), taken(seconds, BY_EXON), each -> each)
                                    .median()));
            figures.ratios().put("secondsOverExon", ratios);
            double reno = Spread.ratio(taken(seconds, BY_RENO), taken(seconds, BY_EXON), each -> each)
                    .median();
            figures.atLeast("time of a snapshot by TCP reno / by Exon, 50 ms, 1 % loss", reno, 3);
            return figures;
        });
    }

    private static List<Double> taken(Map<String, List<Double>> seconds, String way) {
        return Optional.ofNullable(seconds.get(way)).orElseThrow();
    }

    private static double seconds(Path folder, String way, int bytes, int round) throws Exception {
        System.setProperty(TRANSFER, way.equals(BY_EXON) ? way : "tcp");
        System.setProperty(KEPT, "0");
        List<OrderedLog> open = new ArrayList<>();
        LinkSettings settings = LinkSettings.delay(DELAY_MICROS)
                .rate(MEGABITS, QUEUE_BYTES)
                .loss(LOSS)
                .seed(round);
        try (LinkEmulator link = LinkEmulator.open(settings)) {
            if (way.equals(BY_RENO)) {
                link.onLeft(() -> Files.writeString(CONTROL, "reno"));
                link.onRight(() -> Files.writeString(CONTROL, "reno"));
            }
            List<Listener> near = List.of(new Listener(), new Listener());
            List<CompletableFuture<OrderedLog>> starting = new ArrayList<>();
            starting.add(link.onLeft(() -> start(folder, "a", near.get(0), open)));
            starting.add(link.onLeft(() -> start(folder, "b", near.get(1), open)));
            for (CompletableFuture<OrderedLog> each : starting) {
                each.get(LONGEST_SECONDS, TimeUnit.SECONDS);
            }
            for (Listener each : near) {
                each.leader.get(LONGEST_SECONDS, TimeUnit.SECONDS);
            }
            byte[] state = new byte[bytes];
            new Random(round).nextBytes(state);
            for (int entry = 1; entry <= 2; entry++) {
                // The one that leads orders it.
                open.get(0).submit(entry, new byte[] {(byte) entry});
            }
            for (Listener each : near) {
                each.delivered.get(LONGEST_SECONDS, TimeUnit.SECONDS);
            }
            for (OrderedLog log : open) {
                if (!log.compact(new LogSnapshot(1, new byte[0], state))) {
                    throw new IOException("the snapshot was not kept");
                }
            }
            Listener far = new Listener();
            long began = System.nanoTime();
            CompletableFuture<OrderedLog> joining = link.onRight(() -> start(folder, "c", far, open));
            far.snapshot.get(LONGEST_SECONDS, TimeUnit.SECONDS);
            double took = (System.nanoTime() - began) / 1e9;
            joining.get(LONGEST_SECONDS, TimeUnit.SECONDS);
            open.forEach(OrderedLog::close);
            open.clear();
            return took;
        } finally {
            open.forEach(OrderedLog::close);
            System.clearProperty(TRANSFER);
            System.clearProperty(KEPT);
        }
    }

    /** In the caller's network; so are the threads that the log makes. */
    private static CompletableFuture<OrderedLog> start(
            Path folder, String id, Listener listener, List<OrderedLog> open) {
        OrderedLog log = OrderedLogs.open(ReplicaSettings.builder("far", id, MEMBERS)
                .log(ReplicaSettings.Log.FILE)
                .data(folder)
                .secret(Optional.of(SECRET))
                .build());
        open.add(log);
        CompletableFuture<OrderedLog> started = new CompletableFuture<>();
        DaemonThreads.start("amo-transfer-" + id, () -> {
            try {
                log.start(listener);
                started.complete(log);
            } catch (RuntimeException e) {
                started.completeExceptionally(e);
            }
        });
        return started;
    }

    private static final class Listener implements LogListener {
        private final CompletableFuture<String> leader = new CompletableFuture<>();
        private final CompletableFuture<Long> delivered = new CompletableFuture<>();
        private final CompletableFuture<Long> snapshot = new CompletableFuture<>();

        @Override
        public void onDelivered(long position, byte[] entry) {
            if (position >= 2) {
                delivered.complete(position);
            }
        }

        @Override
        public void onSnapshot(LogSnapshot taken) {
            snapshot.complete(taken.position());
        }

        @Override
        public void onRejected(long submission) {}

        @Override
        public void onLeader(String member) {
            if (!member.isEmpty()) {
                leader.complete(member);
            }
        }

        @Override
        public void onEnded(OrderedLogException why) {
            delivered.completeExceptionally(why);
            snapshot.completeExceptionally(why);
        }

        @Override
        public void onMessage(String member, byte[] message) {}
    }
}
