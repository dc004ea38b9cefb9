package org.amo.benchmarks.fts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.amo.benchmarks.Bench.Run;
import org.amo.benchmarks.figures.Figures;
import org.amo.benchmarks.figures.Spread;
import org.amo.benchmarks.order.Cluster;
import org.amo.core.order.Member;
import org.amo.replication.FreePorts;

/**
 * A call to three replicas against the same call served by plain JacORB. Throughput and processor time with 64 client
 * threads: the base is a pool of three threads, the best that JacORB has on two cores; its default pool, which makes and
 * ends threads under load, is a row. Latency with one thread: the cost of replication, over a bare commit of RAFT from the
 * leader. All take turns, forwards and backwards.
 */
final class ReplicatedOverPlain {
    private static final int THREADS = 64;
    private static final int COMMIT_BYTES = 200;

    private ReplicatedOverPlain() {}

    static void measure(Run run, Figures figures) throws IOException, InterruptedException {
        int rounds = run.quick() ? 6 : 10;
        long millis = run.quick() ? 1_000 : 2_000;
        long latencyMillis = run.quick() ? 600 : 2_000;
        Path folder = Files.createDirectories(run.folder().resolve("plain"));
        List<AutoCloseable> open = new ArrayList<>();
        try {
            List<ServerProcess> tuned = new ArrayList<>();
            // A row without a bar, and not measured in a hurry.
            List<ServerProcess> untuned = new ArrayList<>();
            List<String> flags = run.jvmFlags("-Xmx1g");
            tuned.add(ServerProcess.start(HelloServer.class, folder, "tuned", flags, BankGroup.plain(3)));
            if (!run.quick()) {
                untuned.add(ServerProcess.start(HelloServer.class, folder, "default", flags, BankGroup.plain(0)));
            }
            open.addAll(tuned);
            open.addAll(untuned);
            List<Member> members = FreePorts.members(3);
            List<ServerProcess> replicas = BankGroup.start(HelloServer.class, folder, members, flags, open);
            String group = replicas.get(0).awaitReference();
            BankReplicaStatus leader = BankReplicaStatus.await(members);
            Map<String, String> client = BankGroup.clientAt(members, leader.leader());
            Side plain = side("plain, pool of 3", Map.of(), tuned.get(0).awaitReference(), THREADS, tuned, open);
            Side replicated = side("3 replicas", client, group, THREADS, replicas, open);
            List<Side> sides = new ArrayList<>(List.of(plain, replicated));
            for (ServerProcess server : untuned) {
                sides.add(side("plain, default pool", Map.of(), server.awaitReference(), THREADS, untuned, open));
            }
            WarmUp.all(run, sides);
            throughput(run, figures, sides, members, rounds, millis);
            Side plainOne = side("plain, 1 thread", Map.of(), tuned.get(0).awaitReference(), 1, tuned, open);
            Side replicatedOne = side("3 replicas, 1 thread", client, group, 1, replicas, open);
            Cluster raft = Cluster.bareRaft(run, folder);
            open.add(raft);
            WarmUp.all(run, List.of(plainOne, replicatedOne));
            raft.warmUp(COMMIT_BYTES, run.quick() ? 2_000 : 60_000);
            latency(run, figures, plainOne, replicatedOne, raft, "leader", rounds, latencyMillis);
            sides.addAll(List.of(plainOne, replicatedOne));
            if (!run.quick()) {
                client.put("amo.firstMember", leader.member(members, false));
                Side atFollower = side("3 replicas, 1 thread, at a follower", client, group, 1, replicas, open);
                WarmUp.all(run, List.of(atFollower));
                latency(run, figures, plainOne, atFollower, raft, "follower", rounds, latencyMillis);
                sides.add(atFollower);
            }
            sides.forEach(side -> side.noteFailures(figures, side.name()));
        } finally {
            closeAll(open);
        }
    }

    private static void throughput(
            Run run, Figures figures, List<Side> sides, List<Member> members, int rounds, long millis)
            throws InterruptedException, IOException {
        List<List<Side.Turn>> turns = turns(run, sides, rounds, millis);
        BankReplicaStatus status = BankReplicaStatus.ask(members.get(0));
        for (int i = 0; i < sides.size(); i++) {
            Map<String, Object> metrics = Side.Turn.metrics(turns.get(i));
            if (sides.get(i).servers().size() > 1) {
                metrics.put("requestsPerEntry", status.executed() / (double) Math.max(1, status.entriesWithRequests()));
            }
            figures.row(sides.get(i).name(), Map.of("threads", THREADS), metrics);
        }
        Spread throughput = Spread.ratio(turns.get(1), turns.get(0), Side.Turn::callsPerSecond);
        Spread cpu = Spread.ratio(turns.get(1), turns.get(0), Side.Turn::cpuMicrosPerCall);
        figures.row(
                "ratio replicated / plain", Map.of("threads", THREADS), Map.of("throughput", throughput, "cpu", cpu));
        if (sides.size() > 2) {
            Spread ofDefault = Spread.ratio(turns.get(1), turns.get(2), Side.Turn::callsPerSecond);
            figures.row(
                    "ratio replicated / plain with its default pool",
                    Map.of("threads", THREADS),
                    Map.of("throughput", ofDefault));
        }
        figures.ratios().put("replicatedOverPlainThroughput", throughput.median());
        figures.ratios().put("replicatedOverPlainCpuPerCall", cpu.median());
        figures.atLeast("throughput, 3 replicas / plain JacORB, 64 threads", throughput.median(), 0.7);
        figures.atMost("processor time per call, 3 replicas / plain JacORB", cpu.median(), 1.4);
        figures.atLeast(
                "requests per entry at 64 threads",
                status.executed() / (double) Math.max(1, status.entriesWithRequests()),
                15);
    }

    /**
     * The base is the leader's commit wherever the client is: a bare follower hears of a commit with the next entry or the
     * next resend, 100 ms later, and to be faster than that says nothing.
     */
    private static void latency(
            Run run, Figures figures, Side plain, Side replicated, Cluster raft, String member, int rounds, long millis)
            throws IOException, InterruptedException {
        List<Double> added = new ArrayList<>();
        List<Double> commits = new ArrayList<>();
        List<Side.Turn> plainTurns = new ArrayList<>();
        List<Side.Turn> replicatedTurns = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            boolean plainFirst = round % 2 == 0;
            Side.Turn first = (plainFirst ? plain : replicated).turn(millis);
            double commit = raft.leaderP50Micros(COMMIT_BYTES, millis);
            Side.Turn second = (plainFirst ? replicated : plain).turn(millis);
            Side.Turn base = plainFirst ? first : second;
            Side.Turn ours = plainFirst ? second : first;
            run.progress()
                    .accept("1 thread: plain %.0f us, replicated %.0f us, bare commit %.0f us"
                            .formatted(base.p50Micros(), ours.p50Micros(), commit));
            plainTurns.add(base);
            replicatedTurns.add(ours);
            commits.add(commit);
            added.add((ours.p50Micros() - base.p50Micros()) / commit);
        }
        Map<String, Object> where = Map.of("member", member);
        figures.row(plain.name(), where, Map.of("p50Micros", Spread.of(plainTurns, Side.Turn::p50Micros)));
        figures.row(replicated.name(), where, Map.of("p50Micros", Spread.of(replicatedTurns, Side.Turn::p50Micros)));
        figures.row(
                "bare RAFT commit at the leader",
                Map.of("bytes", COMMIT_BYTES),
                Map.of("p50Micros", Spread.of(commits)));
        Spread ratio = Spread.of(added);
        figures.row("ratio added latency / bare commit", where, Map.of("ratio", ratio));
        figures.ratios()
                .put(
                        member.equals("leader") ? "addedLatencyOverRawOrder" : "addedLatencyOverRawOrderAtAFollower",
                        ratio.median());
        figures.atMost("added p50 at 1 thread / p50 of a bare RAFT commit, " + member, ratio.median(), 1.1);
    }

    static List<List<Side.Turn>> turns(Run run, List<Side> sides, int rounds, long millis) throws InterruptedException {
        List<List<Side.Turn>> turns = new ArrayList<>();
        sides.forEach(side -> turns.add(new ArrayList<>()));
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < sides.size(); i++) {
                int which = round % 2 == 0 ? i : sides.size() - 1 - i;
                Side.Turn turn = sides.get(which).turn(millis);
                run.progress()
                        .accept("%s: %.0f/s, %.1f us of processor a call"
                                .formatted(sides.get(which).name(), turn.callsPerSecond(), turn.cpuMicrosPerCall()));
                turns.get(which).add(turn);
            }
        }
        return turns;
    }

    static Side side(
            String name,
            Map<String, String> properties,
            String reference,
            int threads,
            List<ServerProcess> servers,
            List<AutoCloseable> open) {
        Side side =
                new Side(name, List.of(CallLoad.greetings(BankGroup.client(properties), reference, threads)), servers);
        open.add(side);
        return side;
    }

    /** Clients before their servers. */
    static void closeAll(List<AutoCloseable> open) throws IOException {
        for (int i = open.size() - 1; i >= 0; i--) {
            try {
                open.get(i).close();
            } catch (Exception e) {
                throw new IOException("cannot close " + open.get(i), e);
            }
        }
    }
}
