package org.amo.benchmarks.fts;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.amo.benchmarks.Bench;
import org.amo.benchmarks.figures.Figures;
import org.amo.benchmarks.figures.Spread;
import org.amo.core.order.Member;

/**
 * {@code amo bench sizing}: figures for the plan of a group on this machine, by the number of its members and the size of its state.
 * They are no ratios: another machine has others.
 */
final class SizingBench implements Bench {
    private static final int THREADS = 16;
    private static final int COMMAND_BYTES = 100;
    private static final int MEGABYTE = 1_000_000;
    private static final int USUAL_MEMBERS = 3;
    private static final int SMALL = 1;
    private static final int[] MEMBERS = {1, 3, 5};
    private static final int[] MEGABYTES = {SMALL, 16, 64};
    private static final int[] MEGABYTES_QUICK = {SMALL, 16};
    private static final double SECONDS_OF_AN_HOUR = 3_600;

    /** A group of so many members with a state of so many MB. */
    private record Cell(int members, int megabytes) {
        String words() {
            return members + (members == 1 ? " member, " : " members, ") + megabytes + " MB of state";
        }
    }

    /** The values of a row that are drawn. */
    private record Point(
            Cell cell, double callsPerSecond, double takeMillis, double writeMillis, double heapMegabytes) {}

    @Override
    public String name() {
        return "sizing";
    }

    @Override
    public String description() {
        return "Figures for the plan of a group on this machine: calls, log, snapshots and memory by members and state.";
    }

    @Override
    public Figures measure(Run run) throws IOException, InterruptedException {
        return Bench.failingAs("the group ended", () -> {
            Figures figures = new Figures(name());
            figures.settings()
                    .put(
                            "call",
                            COMMAND_BYTES + " bytes, replaces one record of " + SizingServer.RECORD_BYTES + " bytes");
            figures.settings().put("threads", THREADS);
            figures.settings().put("log", "fsync");
            figures.settings().put("compiler", run.compiler());
            figures.settings()
                    .put("places", "all members and the client on this machine, which shares its processors and disk");
            List<Point> points = new ArrayList<>();
            for (Cell cell : cells(run.quick())) {
                points.add(measure(run, figures, cell));
            }
            draw(figures, points);
            try (SizingGroup group = SizingGroup.start(run, USUAL_MEMBERS, SMALL * MEGABYTE)) {
                ObservationCost.measure(run, figures, group);
            }
            return figures;
        });
    }

    /** In a quick run only the usual group has several sizes. */
    private static List<Cell> cells(boolean quick) {
        List<Cell> cells = new ArrayList<>();
        for (int members : MEMBERS) {
            for (int megabytes : quick ? MEGABYTES_QUICK : MEGABYTES) {
                if (!quick || members == USUAL_MEMBERS || megabytes == SMALL) {
                    cells.add(new Cell(members, megabytes));
                }
            }
        }
        return cells;
    }

    private static Point measure(Run run, Figures figures, Cell cell) throws IOException, InterruptedException {
        try (SizingGroup group = SizingGroup.start(run, cell.members, cell.megabytes * MEGABYTE);
                CallLoad load = CallLoad.commands(group.client(), COMMAND_BYTES, THREADS, CallLoad.Callers.PLATFORM)) {
            Side side = new Side(cell.words(), List.of(load), group.servers());
            WarmUp.all(run, List.of(side));
            Member first = group.members().get(0);
            JsonNode before = group.status(first);
            List<Side.Turn> turns = new ArrayList<>();
            for (int round = 0; round < (run.quick() ? 3 : 10); round++) {
                turns.add(side.turn(2_000));
            }
            Ordered ordered = Ordered.between(before, group.status(first));
            Map<String, Object> metrics = Side.Turn.metrics(turns);
            metrics.put("logBytesPerCall", ordered.bytesPerCall());
            metrics.put(
                    "logMegabytesPerHour",
                    ordered.bytesPerCall()
                            * Spread.of(turns, Side.Turn::callsPerSecond).median()
                            * SECONDS_OF_AN_HOUR
                            / MEGABYTE);
            List<Snapshot> snapshots = snapshots(run, group, load);
            metrics.put("snapshotMegabytes", snapshots.get(0).bytes / MEGABYTE);
            metrics.put("snapshotTakeMillis", Spread.of(snapshots, Snapshot::takeMillis));
            metrics.put("snapshotWriteMillis", Spread.of(snapshots, Snapshot::writeMillis));
            metrics.put("longestCallMillisMeanwhile", Spread.of(snapshots, Snapshot::longestCallMillis));
            metrics.put("diskMegabytes", (double) group.diskBytes(first) / MEGABYTE);
            double heap = LiveHeap.kilobytes(group.servers().get(0).pid()) * 1024.0 / MEGABYTE;
            metrics.put("liveHeapMegabytes", heap);
            metrics.put("restartSeconds", group.restart(group.members().get(cell.members - 1)));
            side.noteFailures(figures, side.name());
            figures.row(cell.words(), Map.of("members", cell.members, "stateMegabytes", cell.megabytes), metrics);
            Point point = new Point(
                    cell,
                    Spread.of(turns, Side.Turn::callsPerSecond).median(),
                    Spread.of(snapshots, Snapshot::takeMillis).median(),
                    Spread.of(snapshots, Snapshot::writeMillis).median(),
                    heap);
            run.progress()
                    .accept("%s: %.0f calls/s, a snapshot takes %.0f and %.0f ms"
                            .formatted(cell.words(), point.callsPerSecond, point.takeMillis, point.writeMillis));
            return point;
        }
    }

    /** Entries and requests between two statuses of one member. */
    record Ordered(long requests, long bytes) {
        static Ordered between(JsonNode before, JsonNode after) {
            return new Ordered(
                    after.path("executed").asLong() - before.path("executed").asLong(),
                    after.path("orderedBytes").asLong()
                            - before.path("orderedBytes").asLong());
        }

        /** Acknowledgements and the group's own entries included. */
        double bytesPerCall() {
            return bytes / (double) Math.max(1, requests);
        }
    }

    /** One that an operator had taken while calls ran. */
    private record Snapshot(double bytes, double takeMillis, double writeMillis, double longestCallMillis) {}

    /** Each member takes one, and in a full run several. */
    private static List<Snapshot> snapshots(Run run, SizingGroup group, CallLoad load)
            throws IOException, InterruptedException {
        List<Snapshot> taken = new ArrayList<>();
        load.resume();
        for (int round = 0; round < (run.quick() ? 1 : 3); round++) {
            for (Member member : group.members()) {
                load.forgetLatency();
                group.takeSnapshot(member);
                JsonNode snapshot = group.status(member).path("snapshot");
                taken.add(new Snapshot(
                        snapshot.path("bytes").asDouble(),
                        snapshot.path("takeMicros").asDouble() / 1_000,
                        snapshot.path("writeMicros").asDouble() / 1_000,
                        load.longestMillis()));
            }
        }
        load.pause();
        return taken;
    }

    private static void draw(Figures figures, List<Point> points) {
        Map<String, Figures.Series> calls = new LinkedHashMap<>();
        Map<String, Figures.Series> heap = new LinkedHashMap<>();
        for (int members : MEMBERS) {
            List<Point> own = points.stream()
                    .filter(point -> point.cell.members == members)
                    .toList();
            List<Double> sizes = sizes(own);
            String name = members == 1 ? "1 member" : members + " members";
            calls.put(
                    name,
                    new Figures.Series(
                            sizes, own.stream().map(Point::callsPerSecond).toList()));
            heap.put(
                    name,
                    new Figures.Series(
                            sizes, own.stream().map(Point::heapMegabytes).toList()));
        }
        List<Point> usual = points.stream()
                .filter(point -> point.cell.members == USUAL_MEMBERS)
                .toList();
        Map<String, Figures.Series> times = new LinkedHashMap<>();
        times.put(
                "taken, no operation runs",
                new Figures.Series(
                        sizes(usual), usual.stream().map(Point::takeMillis).toList()));
        times.put(
                "written, beside the calls",
                new Figures.Series(
                        sizes(usual), usual.stream().map(Point::writeMillis).toList()));
        figures.plots().add(new Figures.Plot("sizing-calls", "Calls a second", "MB of state", "calls/s", calls));
        figures.plots()
                .add(new Figures.Plot("sizing-snapshot", "Time of a snapshot, 3 members", "MB of state", "ms", times));
        figures.plots().add(new Figures.Plot("sizing-heap", "Live heap of a member", "MB of state", "MB", heap));
    }

    private static List<Double> sizes(List<Point> points) {
        return points.stream().map(point -> (double) point.cell.megabytes).toList();
    }
}
