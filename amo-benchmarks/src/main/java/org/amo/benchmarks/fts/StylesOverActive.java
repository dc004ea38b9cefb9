package org.amo.benchmarks.fts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.amo.benchmarks.Bench.Run;
import org.amo.benchmarks.figures.Figures;
import org.amo.benchmarks.figures.Spread;
import org.amo.core.order.Member;
import org.amo.replication.FreePorts;

/**
 * The bank under {@code amo wrap server} with three replicas and 64 client threads: without the agent of deterministic execution, with
 * it, with {@code --divergence off}, and in the other styles of replication. All take turns, forwards and backwards.
 *
 * <p>Three percent, the most that the agent may cost, and two, the most that the divergence detector may, are less than the distance of
 * single rounds. So a full run lets the groups with and without them take more turns than the others.
 */
final class StylesOverActive {
    private static final int THREADS = 64;
    private static final String NONE = "active, no agent";
    private static final String ACTIVE = "active";
    private static final String UNDETECTED = "active, no divergence detector";
    private static final int MORE_ROUNDS = 30;

    /** Options of each group's servers, by the name of its row. */
    private static final Map<String, List<String>> GROUPS = new LinkedHashMap<>();

    /** The styles that are compared with active replication. */
    private static final List<String> STYLES = List.of("leader", "passive");

    static {
        GROUPS.put(NONE, List.of("-Damo.deterministic=none"));
        GROUPS.put(ACTIVE, List.of("-Damo.style=active"));
        GROUPS.put(UNDETECTED, List.of("-Damo.divergence=off"));
        STYLES.forEach(style -> GROUPS.put(style, List.of("-Damo.style=" + style)));
    }

    private StylesOverActive() {}

    static void measure(Run run, Figures figures) throws IOException, InterruptedException {
        int rounds = run.quick() ? 4 : 10;
        long millis = run.quick() ? 1_000 : 2_000;
        List<AutoCloseable> open = new ArrayList<>();
        try {
            List<Side> sides = new ArrayList<>();
            for (Map.Entry<String, List<String>> group : GROUPS.entrySet()) {
                sides.add(group(run, group.getKey(), group.getValue(), open));
            }
            WarmUp.all(run, sides);
            List<List<Side.Turn>> turns = ReplicatedOverPlain.turns(run, sides, rounds, millis);
            List<String> names = List.copyOf(GROUPS.keySet());
            Map<String, Object> styles = new LinkedHashMap<>();
            for (String style : STYLES) {
                double ratio = throughput(turns, names, style, ACTIVE).median();
                styles.put(style, ratio);
                figures.atLeast("throughput of the bank, style " + style + " / active, 64 threads", ratio, 0.6);
            }
            figures.ratios().put("styleOverActive", styles);
            if (!run.quick()) {
                List<Integer> places =
                        Stream.of(NONE, ACTIVE, UNDETECTED).map(names::indexOf).toList();
                List<List<Side.Turn>> more = ReplicatedOverPlain.turns(
                        run, places.stream().map(sides::get).toList(), MORE_ROUNDS, millis);
                for (int i = 0; i < places.size(); i++) {
                    turns.get(places.get(i)).addAll(more.get(i));
                }
            }
            agent(figures, turns, names);
            detector(figures, turns, names);
            for (int i = 0; i < sides.size(); i++) {
                row(figures, sides.get(i), turns.get(i));
            }
        } finally {
            ReplicatedOverPlain.closeAll(open);
        }
    }

    private static void agent(Figures figures, List<List<Side.Turn>> turns, List<String> names) {
        double throughput = throughput(turns, names, ACTIVE, NONE).median();
        figures.ratios().put("agentOverNone", throughput);
        figures.atLeast("throughput of the bank, with the agent / without, 64 threads", throughput, 0.97);
    }

    private static void detector(Figures figures, List<List<Side.Turn>> turns, List<String> names) {
        double throughput = throughput(turns, names, ACTIVE, UNDETECTED).median();
        double cpu = ratio(turns, names, ACTIVE, UNDETECTED, Side.Turn::cpuMicrosPerCall)
                .median();
        figures.ratios().put("detectorOverNone", throughput);
        figures.ratios().put("detectorOverNoneCpuPerCall", cpu);
        figures.atLeast("throughput of the bank, with the divergence detector / without, 64 threads", throughput, 0.98);
    }

    private static void row(Figures figures, Side side, List<Side.Turn> turns) {
        String name = "bank, " + side.name();
        figures.row(name, Map.of("threads", THREADS), Side.Turn.metrics(turns));
        side.noteFailures(figures, name);
    }

    private static Spread throughput(List<List<Side.Turn>> turns, List<String> names, String above, String below) {
        return ratio(turns, names, above, below, Side.Turn::callsPerSecond);
    }

    private static Spread ratio(
            List<List<Side.Turn>> turns,
            List<String> names,
            String above,
            String below,
            ToDoubleFunction<Side.Turn> metric) {
        return Spread.ratio(turns.get(names.indexOf(above)), turns.get(names.indexOf(below)), metric);
    }

    private static Side group(Run run, String name, List<String> options, List<AutoCloseable> open)
            throws IOException, InterruptedException {
        Path folder = Files.createDirectories(run.folder().resolve("style-" + name.replaceAll("[^a-z]+", "-")));
        List<String> flags = run.jvmFlags("-Xmx512m");
        flags.addAll(options);
        List<Member> members = FreePorts.members(3);
        List<ServerProcess> replicas = new ArrayList<>();
        for (Member member : members) {
            replicas.add(ServerProcess.start(
                    folder, member.id(), reference -> run.servers().bank(members, member, folder, reference, flags)));
        }
        open.addAll(replicas);
        String reference = replicas.get(0).awaitReference();
        Map<String, String> client =
                BankGroup.clientAt(members, BankReplicaStatus.await(members).leader());
        Side side = new Side(
                name, List.of(CallLoad.deposits("account", BankGroup.client(client), reference, THREADS)), replicas);
        open.add(side);
        return side;
    }
}
