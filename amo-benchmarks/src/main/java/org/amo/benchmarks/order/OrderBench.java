package org.amo.benchmarks.order;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.amo.benchmarks.Bench;
import org.amo.benchmarks.figures.Figures;
import org.amo.benchmarks.figures.Spread;

/** {@code amo bench order}: the ordered log and its peers, bare and with amo on top, 280 bytes, three senders. */
public final class OrderBench implements Bench {
    private static final int BYTES = 280;
    private static final int[] WINDOWS = {64, 256};

    /** Of a full run: 3 s at each window; after about a minute of that all stacks have reached their speed. */
    private static final int WARM_UP_ROUNDS = 10;

    /** Those of the ratios take turns; the rest are rows. */
    private static final List<OrderStack> RATIOS = List.of(
            OrderStack.RAFT_MEMORY,
            OrderStack.AMO_RAFT_MEMORY,
            OrderStack.SEQUENCER,
            OrderStack.RATIS,
            // The last: there is no time for it in a hurry.
            OrderStack.JGROUPS_RAFT);

    private static final List<OrderStack> ROWS = List.of(
            OrderStack.NAKACK,
            OrderStack.RAFT_FILE,
            OrderStack.RAFT_FSYNC,
            OrderStack.AMO_RAFT_FILE,
            OrderStack.AMO_RAFT_FSYNC,
            OrderStack.AMO_SEQUENCER);

    /** Those that answer a repeated call from their cached replies. */
    private static final List<OrderStack> REMEMBERING = List.of(OrderStack.AMO_RAFT_MEMORY, OrderStack.RATIS);

    /** A test of groups that have just started. */
    private interface BeforeLoad {
        void accept(Map<OrderStack, Cluster> clusters) throws IOException, InterruptedException;
    }

    private record Cell(OrderStack stack, int window) {}

    /** {@code amo bench transfer}: snapshots to a member at the far end of a long link. */
    public static Bench transfer() {
        return new TransferBench();
    }

    @Override
    public String name() {
        return "order";
    }

    @Override
    public String description() {
        return "The ordered log and its peers (JGroups, Apache Ratis), bare and with amo on top.";
    }

    @Override
    public Figures measure(Run run) throws IOException, InterruptedException {
        Figures figures = new Figures(name());
        int rounds = run.quick() ? 5 : 10;
        long millis = run.quick() ? 700 : 3_000;
        figures.settings().put("bytes", BYTES);
        figures.settings().put("members", 3);
        figures.settings().put("compiler", run.compiler());
        figures.settings().put("senders", 3);
        figures.settings().put("rounds", rounds);
        figures.settings().put("roundMillis", millis);
        Map<Cell, List<Cluster.Round>> measured = new LinkedHashMap<>();
        List<OrderStack> inTurns = run.quick() ? RATIOS.subList(0, RATIOS.size() - 1) : RATIOS;
        measure(inTurns, run, rounds, millis, measured, clusters -> {
            for (OrderStack stack : REMEMBERING) {
                run.progress().accept("late duplicates of " + stack.title());
                remembered(figures, cluster(clusters, stack), stack, run.quick() ? 300 : 2_000);
            }
        });
        for (OrderStack stack : run.quick() ? ROWS.subList(0, 3) : ROWS) {
            try {
                measure(List.of(stack), run, run.quick() ? 2 : 5, millis, measured, clusters -> {});
            } catch (IOException e) {
                // A quarter of an hour of the others' figures stands.
                figures.violations().add("no figures of " + stack.title() + ": " + e.getMessage());
            }
        }
        measured.forEach((cell, list) -> row(figures, cell, list, millis));
        for (int window : WINDOWS) {
            figures.columns().add(plot(measured, window));
        }
        ratios(figures, measured, millis);
        if (run.quick()) {
            figures.remarks()
                    .add("no ratios to unmodified jgroups-raft and to a disk alone: they need a run without --quick");
        } else {
            overUnmodified(figures, measured, millis);
            overOneFsync(run, figures, rounds, millis);
        }
        return figures;
    }

    private static void measure(
            List<OrderStack> stacks,
            Run run,
            int rounds,
            long millis,
            Map<Cell, List<Cluster.Round>> measured,
            BeforeLoad beforeLoad)
            throws IOException, InterruptedException {
        Map<OrderStack, Cluster> clusters = new EnumMap<>(OrderStack.class);
        try {
            for (OrderStack stack : stacks) {
                run.progress().accept("starting " + stack.title());
                clusters.put(stack, Cluster.launch(stack, run, run.folder()));
            }
            for (Cluster cluster : clusters.values()) {
                cluster.awaitReady();
            }
            beforeLoad.accept(clusters);
            int warmUp = run.quick() ? Math.min(4, rounds) : WARM_UP_ROUNDS;
            for (int round = -warmUp; round < rounds; round++) {
                List<OrderStack> order = new ArrayList<>(stacks);
                // A B B A: the first stack of one round goes last in the next.
                if (Math.floorMod(round, 2) == 1) {
                    Collections.reverse(order);
                }
                for (int window : WINDOWS) {
                    for (OrderStack stack : order) {
                        Cluster.Round result = cluster(clusters, stack).run(window, BYTES, millis);
                        run.progress()
                                .accept("%s, %d outstanding: %.0f/s"
                                        .formatted(stack.title(), window, result.perSecond()));
                        if (round >= 0) {
                            measured.computeIfAbsent(new Cell(stack, window), key -> new ArrayList<>())
                                    .add(result);
                        }
                    }
                }
            }
        } finally {
            clusters.values().forEach(Cluster::close);
        }
    }

    /** The two tests that a retry cache fails: a duplicate after its acknowledgement, and the calls that followers keep. */
    private static void remembered(Figures figures, Cluster cluster, OrderStack stack, int calls)
            throws IOException, InterruptedException {
        long executions = cluster.executionsOfALateDuplicate();
        figures.row("late duplicate, " + stack.title(), Map.of(), Map.of("executions", executions));
        List<Long> kept = cluster.keptAfter(calls);
        long most = Math.max(kept.get(1), kept.get(2));
        figures.row(
                "kept after calls in a row, " + stack.title(),
                Map.of("calls", calls),
                Map.of("leader", kept.get(0), "mostOfAFollower", most));
        if (stack == OrderStack.AMO_RAFT_MEMORY) {
            figures.atMost("executions of a call whose copy came after its acknowledgement", (double) executions, 1);
            figures.atMost("calls that a follower of amo keeps after " + calls + " in a row", (double) most, 2);
        }
    }

    private static Cluster cluster(Map<OrderStack, Cluster> clusters, OrderStack stack) {
        Cluster found = clusters.get(stack);
        if (found == null) {
            throw new IllegalStateException("not started: " + stack);
        }
        return found;
    }

    private static void row(Figures figures, Cell cell, List<Cluster.Round> rounds, long millis) {
        Map<String, Object> metrics = new LinkedHashMap<>();
        metrics.put("requestsPerSecond", Spread.of(rounds, Cluster.Round::perSecond));
        metrics.put("requestsPerCpuSecond", Spread.of(rounds, round -> round.perCpuSecond(millis / 1e3)));
        metrics.put("switchesPerRequest", Spread.of(rounds, Cluster.Round::switchesPerRequest));
        metrics.put("p50Micros", Spread.of(rounds, Cluster.Round::p50Micros));
        metrics.put("p99Micros", Spread.of(rounds, Cluster.Round::p99Micros));
        long lost = rounds.stream().mapToLong(Cluster.Round::lost).sum();
        long repeats = rounds.stream().mapToLong(Cluster.Round::repeats).sum();
        metrics.put("unanswered", lost);
        metrics.put("repeats", repeats);
        figures.violations().addAll(spoiled(cell.stack(), lost, repeats));
        figures.row(cell.stack().title(), Map.of("outstanding", cell.window()), metrics);
    }

    /** Why the rounds of a stack are no measure of it. */
    static List<String> spoiled(OrderStack stack, long lost, long repeats) {
        List<String> why = new ArrayList<>();
        if (lost > 0) {
            why.add(stack.title() + ": " + lost + " messages were never answered");
        }
        if (repeats > 0 && stack.completesRefused()) {
            why.add(stack.title() + ": " + repeats + " of the answered requests were refused");
        }
        return why;
    }

    private static void ratios(Figures figures, Map<Cell, List<Cluster.Round>> measured, long millis) {
        Spread sequencer = ratio(measured, OrderStack.RAFT_MEMORY, OrderStack.SEQUENCER, 256, Cluster.Round::perSecond);
        Spread raft64 =
                ratio(measured, OrderStack.AMO_RAFT_MEMORY, OrderStack.RAFT_MEMORY, 64, Cluster.Round::perSecond);
        Spread raft256 =
                ratio(measured, OrderStack.AMO_RAFT_MEMORY, OrderStack.RAFT_MEMORY, 256, Cluster.Round::perSecond);
        Spread cpu = ratio(
                measured,
                OrderStack.AMO_RAFT_MEMORY,
                OrderStack.RAFT_MEMORY,
                256,
                round -> round.perCpuSecond(millis / 1e3));
        Spread ratis64 = ratio(measured, OrderStack.AMO_RAFT_MEMORY, OrderStack.RATIS, 64, Cluster.Round::perSecond);
        Spread ratis256 = ratio(measured, OrderStack.AMO_RAFT_MEMORY, OrderStack.RATIS, 256, Cluster.Round::perSecond);
        figures.ratios().put("raftOverSequencerThroughput", sequencer.median());
        figures.ratios().put("amoOverRawRaft", Map.of("w64", raft64.median(), "w256", raft256.median()));
        figures.ratios().put("amoOverRawRaftPerCpuSecond", cpu.median());
        figures.ratios().put("amoOverRatis", Map.of("w64", ratis64.median(), "w256", ratis256.median()));
        figures.row("ratio raft / sequencer", Map.of("outstanding", 256), Map.of("ratio", sequencer));
        figures.row("ratio amo / raft", Map.of("outstanding", 64), Map.of("ratio", raft64));
        figures.row("ratio amo / raft", Map.of("outstanding", 256), Map.of("ratio", raft256));
        figures.row("ratio amo / raft per CPU second", Map.of("outstanding", 256), Map.of("ratio", cpu));
        figures.row("ratio amo / ratis", Map.of("outstanding", 64), Map.of("ratio", ratis64));
        figures.row("ratio amo / ratis", Map.of("outstanding", 256), Map.of("ratio", ratis256));
        figures.atLeast("amo / bare RAFT, 256 outstanding", raft256.median(), 1.5);
        figures.atLeast("amo / bare RAFT per CPU second, 256 outstanding", cpu.median(), 1.5);
        figures.atLeast("amo / bare RAFT, 64 outstanding", raft64.median(), 0.9);
        figures.atLeast("amo / Ratis, 256 outstanding", ratis256.median(), 3);
    }

    /** Bare RAFT is amo's log, and gets faster with it; this base does not. */
    private static void overUnmodified(Figures figures, Map<Cell, List<Cluster.Round>> measured, long millis) {
        Map<String, Double> ratios = new LinkedHashMap<>();
        for (int window : WINDOWS) {
            Spread throughput = ratio(
                    measured, OrderStack.AMO_RAFT_MEMORY, OrderStack.JGROUPS_RAFT, window, Cluster.Round::perSecond);
            figures.row(
                    "ratio amo / unmodified jgroups-raft", Map.of("outstanding", window), Map.of("ratio", throughput));
            ratios.put("w" + window, throughput.median());
        }
        Spread cpu = ratio(
                measured,
                OrderStack.AMO_RAFT_MEMORY,
                OrderStack.JGROUPS_RAFT,
                256,
                round -> round.perCpuSecond(millis / 1e3));
        figures.row(
                "ratio amo / unmodified jgroups-raft per CPU second", Map.of("outstanding", 256), Map.of("ratio", cpu));
        figures.ratios().put("amoOverUnmodifiedRaft", ratios);
        figures.ratios().put("amoOverUnmodifiedRaftPerCpuSecond", cpu.median());
    }

    /** Forced entries a second, over those that one thread forces one after the other to a file on the same disk. */
    private static void overOneFsync(Run run, Figures figures, int rounds, long millis)
            throws IOException, InterruptedException {
        Path folder = Files.createDirectories(run.folder().resolve("one-fsync"));
        int outstanding = WINDOWS[0];
        List<Double> forces = new ArrayList<>();
        List<Double> ratios = new ArrayList<>();
        try (Cluster cluster = Cluster.start(OrderStack.RAFT_FSYNC, run, folder);
                ForcedFile file = ForcedFile.create(folder.resolve("alone"), BYTES)) {
            for (int round = -WARM_UP_ROUNDS; round < rounds; round++) {
                boolean forth = Math.floorMod(round, 2) == 0;
                double before = forth ? file.forcesPerSecond(millis) : 0;
                double commits = cluster.run(outstanding, BYTES, millis).perSecond();
                double alone = forth ? before : file.forcesPerSecond(millis);
                run.progress().accept("%.0f entries/s, %.0f forces/s of a file alone".formatted(commits, alone));
                if (round >= 0) {
                    forces.add(alone);
                    ratios.add(commits / alone);
                }
            }
        }
        figures.row("a file alone, each entry forced", Map.of(), Map.of("forcesPerSecond", Spread.of(forces)));
        figures.row(
                "ratio " + OrderStack.RAFT_FSYNC.title() + " / a file alone",
                Map.of("outstanding", outstanding),
                Map.of("ratio", Spread.of(ratios)));
        figures.ratios().put("fsyncCommitsOverOneFsync", Spread.of(ratios).median());
    }

    private static Figures.Columns plot(Map<Cell, List<Cluster.Round>> measured, int window) {
        Map<String, Double> heights = new LinkedHashMap<>();
        measured.forEach((cell, rounds) -> {
            if (cell.window() == window) {
                heights.put(
                        cell.stack().title(),
                        Spread.of(rounds, Cluster.Round::perSecond).median());
            }
        });
        return new Figures.Columns(
                "order-" + window, window + " outstanding at each of 3 members", "requests a second", heights);
    }

    /** Round by round, then the median. */
    private static Spread ratio(
            Map<Cell, List<Cluster.Round>> measured,
            OrderStack above,
            OrderStack below,
            int window,
            ToDoubleFunction<Cluster.Round> metric) {
        List<Cluster.Round> ours = measured.getOrDefault(new Cell(above, window), List.of());
        List<Cluster.Round> base = measured.getOrDefault(new Cell(below, window), List.of());
        return Spread.ratio(ours, base, metric);
    }
}
