package org.amo.benchmarks.fts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.ToDoubleFunction;
import org.amo.benchmarks.Bench.Run;
import org.amo.benchmarks.figures.Figures;
import org.amo.benchmarks.figures.Spread;
import org.amo.benchmarks.fts.CallBlocks.Done;
import org.amo.core.order.Member;
import org.amo.interceptors.client.JacorbClientDefaults;
import org.amo.interceptors.jacorb.FreshBuffers;
import org.amo.replication.FreePorts;

/**
 * Measures the cost of the two shells by themselves, against plain JacORB with a pool of the same size: the Group Object
 * Adaptor of a group of one member with its log in memory, called by a plain client; the client interceptor, in calls of a
 * server that is not replicated; both together; and the buffers without old bytes that both run with.
 */
final class ShellsOverPlain {
    private static final int THREADS = 8;
    private static final int PASSES = 15;
    private static final int BLOCK = 120;
    private static final List<String> SIDES = List.of("plain", "adaptor", "interceptor");

    /** Without a bar, and not measured in a hurry. */
    private static final List<String> MORE_SIDES = List.of("both shells", "plain with fresh buffers");

    private ShellsOverPlain() {}

    static void measure(Run run, Figures figures) throws IOException, InterruptedException {
        Path folder = Files.createDirectories(run.folder().resolve("shells"));
        List<AutoCloseable> open = new ArrayList<>();
        try {
            List<Member> members = FreePorts.members(2);
            List<Member> alone = members.subList(0, 1);
            List<Member> unreplicated = members.subList(1, 2);
            Map<String, String> fixedPort = BankGroup.plain(THREADS);
            fixedPort.put("OAPort", Integer.toString(unreplicated.get(0).clientPort()));
            Map<String, String> replica = BankGroup.replica(folder, alone, alone.get(0));
            replica.putAll(pool());
            ServerProcess plain = start(run, "plain", fixedPort, folder, open);
            ServerProcess adaptor = start(run, "a", replica, folder, open);
            BankReplicaStatus.await(alone);
            Map<String, String> numbering = new LinkedHashMap<>(JacorbClientDefaults.properties());
            // So it takes the plain server for a group: it numbers and acknowledges, and the server ignores that.
            numbering.put("amo.members", Member.format(unreplicated));
            CallBlocks blocks = new CallBlocks(THREADS);
            open.add(blocks);
            blocks.side(Map.of(), plain);
            blocks.side(Map.of(), adaptor);
            blocks.side(numbering, plain);
            List<String> sides = new ArrayList<>(SIDES);
            if (!run.quick()) {
                sides.addAll(MORE_SIDES);
                blocks.side(JacorbClientDefaults.properties(), adaptor);
                Map<String, String> buffers = Map.of(FreshBuffers.PROPERTY, FreshBuffers.class.getName());
                Map<String, String> fresh = BankGroup.plain(THREADS);
                fresh.putAll(buffers);
                blocks.side(buffers, start(run, "fresh", fresh, folder, open));
            }
            report(figures, sides, rounds(run, sides, blocks));
        } catch (ExecutionException e) {
            figures.violations().add("the shells: a call failed: " + e.getCause());
        } finally {
            ReplicatedOverPlain.closeAll(open);
        }
    }

    private static List<List<Done>> rounds(Run run, List<String> names, CallBlocks blocks)
            throws InterruptedException, ExecutionException {
        int warmUp = run.quick() ? 8 : 30;
        int counted = run.quick() ? 7 : 40;
        List<List<Done>> rounds = new ArrayList<>();
        for (int round = -warmUp; round < counted; round++) {
            List<Done> sides = blocks.round(PASSES, BLOCK);
            StringBuilder words = new StringBuilder(round < 0 ? "shells, warm-up:" : "shells:");
            for (int side = 0; side < names.size(); side++) {
                words.append(
                        " %s %.0f/s".formatted(names.get(side), sides.get(side).callsPerSecond()));
            }
            run.progress().accept(words.toString());
            if (round >= 0) {
                rounds.add(sides);
            }
        }
        return rounds;
    }

    static void report(Figures figures, List<String> names, List<List<Done>> rounds) {
        for (int side = 0; side < names.size(); side++) {
            int which = side;
            Map<String, Object> metrics = new LinkedHashMap<>();
            metrics.put(
                    "callsPerSecond",
                    Spread.of(rounds.stream()
                            .map(sides -> sides.get(which).callsPerSecond())
                            .toList()));
            metrics.put("overPlain", overPlain(rounds, side, Done::callsPerSecond));
            metrics.put("cpuOverPlain", overPlain(rounds, side, Done::cpuMicrosPerCall));
            figures.row("shells: " + names.get(side), Map.of("threads", THREADS, "pool", THREADS), metrics);
        }
        double adaptor = overPlain(rounds, 1, Done::callsPerSecond).median();
        double interceptor = overPlain(rounds, 2, Done::callsPerSecond).median();
        figures.ratios().put("adaptorOverPlain", adaptor);
        figures.ratios().put("interceptorOverPlain", interceptor);
        figures.atLeast("throughput, adaptor of one replica / plain JacORB, 8 threads", adaptor, 0.9);
        figures.atLeast("throughput, client interceptor / none, 8 threads", interceptor, 0.97);
    }

    private static Spread overPlain(List<List<Done>> rounds, int side, ToDoubleFunction<Done> metric) {
        return Spread.of(rounds.stream()
                .map(sides -> metric.applyAsDouble(sides.get(side)) / metric.applyAsDouble(sides.get(0)))
                .toList());
    }

    private static ServerProcess start(
            Run run, String name, Map<String, String> properties, Path folder, List<AutoCloseable> open)
            throws IOException {
        ServerProcess server =
                ServerProcess.start(HelloServer.class, folder, name, run.jvmFlags("-Xmx512m"), properties);
        open.add(server);
        return server;
    }

    /** The part of a plain server's settings that makes its pool. */
    private static Map<String, String> pool() {
        Map<String, String> pool = new LinkedHashMap<>(BankGroup.plain(THREADS));
        pool.keySet().removeIf(name -> !name.contains("thread_pool"));
        return pool;
    }
}
