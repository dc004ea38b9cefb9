package org.amo.benchmarks.fts;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
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
    enum Kind {
        PLATFORM("platform threads"),
        VIRTUAL("virtual threads"),
        ASYNC("asynchronous");

        private final String words;

        Kind(String words) {
            this.words = words;
        }

        private String part() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** So many callers of one kind, of the group and of the floor. */
    private record Pair(Kind kind, int callers, Side ours, Side floor) {}

    /** The turns of a pair. */
    record Compared(Kind kind, int callers, List<Side.Turn> ours, List<Side.Turn> floors) {
        private Spread ratio(ToDoubleFunction<Side.Turn> metric) {
            return Spread.ratio(ours, floors, metric);
        }
    }

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
        ratios(figures, compare(name, pairs, rounds, millis));
        return sides(pairs);
    }

    /** 1, 16 and 64 threads. */
    List<Side> measureForced(String name, int rounds, long millis) throws IOException, InterruptedException {
        List<Pair> pairs = new ArrayList<>();
        for (int threads : new int[] {1, 16, JavaBench.THREADS}) {
            pairs.add(pair(name, Kind.PLATFORM, threads));
        }
        forcedRatios(figures, compare(name, pairs, rounds, millis));
        return sides(pairs);
    }

    /** Ours and the floor of each pair, by turns. */
    private static List<Side> sides(List<Pair> pairs) {
        List<Side> sides = new ArrayList<>();
        pairs.forEach(pair -> sides.addAll(List.of(pair.ours(), pair.floor())));
        return sides;
    }

    private List<Compared> compare(String name, List<Pair> pairs, int rounds, long millis) throws InterruptedException {
        List<Side> sides = sides(pairs);
        // In a hurry the group has been warmed by other callers, and the callers share a program with the others.
        WarmUp.all(run, run.quick() ? List.of(pairs.get(0).floor()) : sides);
        List<List<Side.Turn>> turns = ReplicatedOverPlain.turns(run, sides, rounds, millis);
        for (int i = 0; i < sides.size(); i++) {
            Pair pair = pairs.get(i / 2);
            Map<String, Object> settings = Map.of("callers", pair.callers(), "kind", pair.kind().words);
            figures.row(sides.get(i).name(), settings, Side.Turn.metrics(turns.get(i)));
        }
        List<Compared> compared = new ArrayList<>();
        for (int i = 0; i < pairs.size(); i++) {
            Pair pair = pairs.get(i);
            compared.add(new Compared(pair.kind(), pair.callers(), turns.get(2 * i), turns.get(2 * i + 1)));
        }
        compared.forEach(each -> row(name, each));
        return compared;
    }

    private void row(String name, Compared turns) {
        Map<String, Object> metrics = new LinkedHashMap<>();
        metrics.put("p50", turns.ratio(Side.Turn::p50Micros));
        metrics.put("throughput", turns.ratio(Side.Turn::callsPerSecond));
        metrics.put("cpu", turns.ratio(Side.Turn::cpuMicrosPerCall));
        figures.row(
                "ratio plain Java / " + name, Map.of("callers", turns.callers(), "kind", turns.kind().words), metrics);
    }

    /** Each kind of caller over the floor, and asynchronous calls over those of platform threads. */
    static void ratios(Figures figures, List<Compared> compared) {
        for (Compared turns : compared) {
            if (turns.callers() == 1) {
                figures.ratios()
                        .put("p50OverMinimal", turns.ratio(Side.Turn::p50Micros).median());
            } else {
                figures.ratio(
                        "callsOverMinimal",
                        turns.kind().part(),
                        turns.ratio(Side.Turn::callsPerSecond).median());
            }
        }
        figures.ratios()
                .put(
                        "asyncOverPlatform",
                        Spread.ratio(
                                        many(compared, Kind.ASYNC),
                                        many(compared, Kind.PLATFORM),
                                        Side.Turn::callsPerSecond)
                                .median());
    }

    /** Threads over the floor, where both force their logs. */
    static void forcedRatios(Figures figures, List<Compared> compared) {
        for (Compared turns : compared) {
            if (turns.callers() == 1) {
                figures.ratios()
                        .put(
                                "p50OverForcedMinimal",
                                turns.ratio(Side.Turn::p50Micros).median());
            } else {
                figures.ratio(
                        "callsOverForcedMinimal",
                        Integer.toString(turns.callers()),
                        turns.ratio(Side.Turn::callsPerSecond).median());
            }
        }
    }

    private static List<Side.Turn> many(List<Compared> compared, Kind kind) {
        return compared.stream()
                .filter(turns -> turns.callers() > 1 && turns.kind() == kind)
                .findFirst()
                .map(Compared::ours)
                .orElse(List.of());
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
            return JavaBench.outstanding(members, callers);
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
