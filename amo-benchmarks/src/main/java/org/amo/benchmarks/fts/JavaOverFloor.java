package org.amo.benchmarks.fts;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.amo.benchmarks.Bench.Run;
import org.amo.benchmarks.figures.Figures;
import org.amo.benchmarks.figures.Spread;
import org.amo.core.order.Member;
import org.amo.replication.service.AmoClient;

/**
 * A group of plain Java over the floor M ({@link FloorMember}): the same callers, the same bytes, the same number of processes.
 * Both take turns, with each kind of caller.
 */
final class JavaOverFloor {
    private final Run run;
    private final Figures figures;
    private final FloorGroup floor;
    private final List<Member> members;
    private final List<ServerProcess> servers;
    private final List<AutoCloseable> open;

    /** @param open given the sides, to be closed with the others */
    JavaOverFloor(
            Run run,
            Figures figures,
            FloorGroup floor,
            List<Member> members,
            List<ServerProcess> servers,
            List<AutoCloseable> open) {
        this.run = run;
        this.figures = figures;
        this.floor = floor;
        this.members = members;
        this.servers = servers;
        this.open = open;
    }

    /** Threads, virtual threads, or calls without threads. */
    private enum Kind {
        PLATFORM("platform threads", "Platform"),
        VIRTUAL("virtual threads", "Virtual"),
        ASYNC("asynchronous", "Async");

        private final String words;
        private final String ratio;

        Kind(String words, String ratio) {
            this.words = words;
            this.ratio = ratio;
        }
    }

    /** So many callers of one kind, of the group and of the floor. */
    private record Pair(Kind kind, int callers, Side ours, Side floor) {}

    /**
     * One thread, and 64 callers of each kind.
     *
     * @param name of the floor
     */
    List<Side> measure(String name, int rounds, long millis) throws IOException, InterruptedException {
        List<Pair> pairs = new ArrayList<>();
        pairs.add(pair(name, Kind.PLATFORM, 1));
        pairs.add(pair(name, Kind.PLATFORM, JavaBench.THREADS));
        if (VirtualThreads.exist()) {
            pairs.add(pair(name, Kind.VIRTUAL, JavaBench.THREADS));
        } else {
            figures.remarks().add("no rows of virtual threads: this Java has none; 21 and later have");
        }
        pairs.add(pair(name, Kind.ASYNC, JavaBench.THREADS));
        return measure(name, pairs, rounds, millis);
    }

    /** 1, 16 and 64 threads. */
    List<Side> measureForced(String name, int rounds, long millis) throws IOException, InterruptedException {
        List<Pair> pairs = new ArrayList<>();
        for (int threads : new int[] {1, 16, JavaBench.THREADS}) {
            pairs.add(pair(name, Kind.PLATFORM, threads));
        }
        return measure(name, pairs, rounds, millis);
    }

    private List<Side> measure(String name, List<Pair> pairs, int rounds, long millis) throws InterruptedException {
        List<Side> sides = new ArrayList<>();
        pairs.forEach(pair -> sides.addAll(List.of(pair.ours(), pair.floor())));
        // In a hurry the group has been warmed by other callers, and the callers share a program with the others.
        WarmUp.all(run, run.quick() ? List.of(pairs.get(0).floor()) : sides);
        List<List<Side.Turn>> turns = ReplicatedOverPlain.turns(run, sides, rounds, millis);
        for (int i = 0; i < sides.size(); i++) {
            Pair pair = pairs.get(i / 2);
            Map<String, Object> settings = Map.of("callers", pair.callers(), "kind", pair.kind().words);
            figures.row(sides.get(i).name(), settings, Side.Turn.metrics(turns.get(i)));
        }
        for (int i = 0; i < pairs.size(); i++) {
            ratios(name, pairs.get(i), turns.get(2 * i), turns.get(2 * i + 1));
        }
        return sides;
    }

    private void ratios(String name, Pair pair, List<Side.Turn> ours, List<Side.Turn> floors) {
        Map<String, Object> metrics = new LinkedHashMap<>();
        metrics.put("p50", Spread.ratio(ours, floors, Side.Turn::p50Micros));
        metrics.put("throughput", Spread.ratio(ours, floors, Side.Turn::callsPerSecond));
        metrics.put("cpu", Spread.ratio(ours, floors, Side.Turn::cpuMicrosPerCall));
        figures.row(
                "ratio plain Java / " + name, Map.of("callers", pair.callers(), "kind", pair.kind().words), metrics);
        String key = name.equals("M") ? "javaOverFloor" : "javaOverForcedFloor";
        if (pair.callers() == 1) {
            figures.ratios()
                    .put(
                            key + "Latency",
                            Spread.ratio(ours, floors, Side.Turn::p50Micros).median());
        } else {
            figures.ratios()
                    .put(
                            key + "Throughput" + pair.callers() + pair.kind().ratio,
                            Spread.ratio(ours, floors, Side.Turn::callsPerSecond)
                                    .median());
        }
    }

    private Pair pair(String name, Kind kind, int callers) throws IOException {
        String with = callers == 1 ? "1 thread" : callers + " callers, " + kind.words;
        return new Pair(
                kind,
                callers,
                side("plain Java beside " + name + ", " + with, ours(kind, callers), servers),
                side(name + ", " + with, floors(kind, callers), floor.servers()));
    }

    private Side side(String name, CallLoad load, List<ServerProcess> processes) {
        Side side = new Side(name, List.of(load), processes);
        open.add(side);
        return side;
    }

    private CallLoad ours(Kind kind, int callers) {
        if (kind == Kind.ASYNC) {
            // Its stages end in its own thread, as those of the floor's client do.
            AmoClient client = JavaBench.client(members, Optional.of(Runnable::run));
            return CallLoad.outstanding(
                    callers, () -> client.callAsync(new byte[JavaBench.COMMAND_BYTES]), client::close);
        }
        AmoClient client = JavaBench.client(members, Optional.empty());
        return CallLoad.commands(client, JavaBench.COMMAND_BYTES, callers, threads(kind));
    }

    private CallLoad floors(Kind kind, int callers) throws IOException {
        FloorClient client = floor.client();
        return kind == Kind.ASYNC
                ? CallLoad.outstanding(
                        callers, () -> client.callAsync(new byte[JavaBench.COMMAND_BYTES]), client::close)
                : CallLoad.floor(client, JavaBench.COMMAND_BYTES, callers, threads(kind));
    }

    private static CallLoad.Callers threads(Kind kind) {
        return kind == Kind.VIRTUAL ? CallLoad.Callers.VIRTUAL : CallLoad.Callers.PLATFORM;
    }
}
