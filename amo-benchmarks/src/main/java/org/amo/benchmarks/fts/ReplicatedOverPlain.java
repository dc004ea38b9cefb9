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
 * leader; and the call over the sum of a plain call and a call to the floor ({@link FloorMember}). All take turns, forwards and
 * backwards.
 */
final class ReplicatedOverPlain {
    private static final int THREADS = 64;
    private static final int COMMIT_BYTES = 200;
    private static final String SWITCHES = "switchesPerCall";

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
            ServerProcess leading =
                    replicas.get(members.stream().map(Member::id).toList().indexOf(leader.member(members, true)));
            throughput(run, figures, sides, leading, members, rounds, millis);
            Side plainOne = side("plain, 1 thread", Map.of(), tuned.get(0).awaitReference(), 1, tuned, open);
            Side replicatedOne = side("3 replicas, 1 thread", client, group, 1, replicas, open);
            Cluster raft = Cluster.bareRaft(run, folder);
            open.add(raft);
            FloorGroup floor = FloorGroup.start(run, folder, false);
            open.add(floor);
            CallLoad floorCalls = CallLoad.floor(floor.client(), COMMIT_BYTES, 1, CallLoad.Callers.PLATFORM);
            Side floorOne = new Side("M, 1 thread", List.of(floorCalls), floor.servers());
            open.add(floorOne);
            WarmUp.all(run, List.of(plainOne, replicatedOne, floorOne));
            raft.warmUp(COMMIT_BYTES, run.quick() ? 2_000 : 60_000);
            OneThread oneThread = new OneThread(plainOne, floorOne, raft, rounds, latencyMillis);
            latency(run, figures, oneThread, replicatedOne, "leader");
            sides.addAll(List.of(plainOne, replicatedOne, floorOne));
            if (!run.quick()) {
                client.put("amo.firstMember", leader.member(members, false));
                Side atFollower = side("3 replicas, 1 thread, at a follower", client, group, 1, replicas, open);
                WarmUp.all(run, List.of(atFollower));
                latency(run, figures, oneThread, atFollower, "follower");
                sides.add(atFollower);
            }
            sides.forEach(side -> side.noteFailures(figures, side.name()));
        } finally {
            closeAll(open);
        }
    }

    private static void throughput(
            Run run,
            Figures figures,
            List<Side> sides,
            ServerProcess leading,
            List<Member> members,
            int rounds,
            long millis)
            throws InterruptedException, IOException {
        List<ServerProcess> watched = new ArrayList<>();
        List<Allocations> before = new ArrayList<>();
        for (Side side : sides) {
            ServerProcess server =
                    side.servers().size() > 1 ? leading : side.servers().get(0);
            watched.add(server);
            before.add(Allocations.of(server));
        }
        List<List<Side.Turn>> turns = turns(run, sides, rounds, millis);
        BankReplicaStatus status = BankReplicaStatus.ask(members.get(0));
        for (int i = 0; i < sides.size(); i++) {
            Map<String, Object> metrics = Side.Turn.metrics(turns.get(i));
            metrics.put(
                    "allocatedBytesPerCall",
                    Allocations.of(watched.get(i)).since(before.get(i)).bytesPerCall());
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

    /** The base of a replicated call with one thread. */
    private record OneThread(Side plain, Side floor, Cluster raft, int rounds, long millis) {}

    /**
     * The base is the leader's commit wherever the client is: a bare follower hears of a commit with the next entry or the
     * next resend, 100 ms later, and to be faster than that says nothing.
     */
    private static void latency(Run run, Figures figures, OneThread base, Side replicated, String member)
            throws IOException, InterruptedException {
        List<Double> added = new ArrayList<>();
        List<Double> commits = new ArrayList<>();
        List<Double> overSum = new ArrayList<>();
        List<Side.Turn> plainTurns = new ArrayList<>();
        List<Side.Turn> replicatedTurns = new ArrayList<>();
        List<Side.Turn> floorTurns = new ArrayList<>();
        for (int round = 0; round < base.rounds(); round++) {
            boolean plainFirst = round % 2 == 0;
            Side.Turn first = (plainFirst ? base.plain() : base.floor()).turn(base.millis());
            double commit = base.raft().leaderP50Micros(COMMIT_BYTES, base.millis());
            Side.Turn ours = replicated.turn(base.millis());
            Side.Turn last = (plainFirst ? base.floor() : base.plain()).turn(base.millis());
            Side.Turn plain = plainFirst ? first : last;
            Side.Turn floor = plainFirst ? last : first;
            run.progress()
                    .accept("1 thread: plain %.0f us, replicated %.0f us, bare commit %.0f us, M %.0f us"
                            .formatted(plain.p50Micros(), ours.p50Micros(), commit, floor.p50Micros()));
            plainTurns.add(plain);
            replicatedTurns.add(ours);
            floorTurns.add(floor);
            commits.add(commit);
            added.add((ours.p50Micros() - plain.p50Micros()) / commit);
            overSum.add(ours.p50Micros() / (plain.p50Micros() + floor.p50Micros()));
        }
        Map<String, Object> where = Map.of("member", member);
        figures.row(base.plain().name(), where, oneThreadMetrics(plainTurns));
        figures.row(replicated.name(), where, oneThreadMetrics(replicatedTurns));
        figures.row(base.floor().name(), Map.of("member", member, "bytes", COMMIT_BYTES), oneThreadMetrics(floorTurns));
        figures.row(
                "bare RAFT commit at the leader",
                Map.of("bytes", COMMIT_BYTES),
                Map.of("p50Micros", Spread.of(commits)));
        Spread ratio = Spread.of(added);
        figures.row("ratio added latency / bare commit", where, Map.of("ratio", ratio));
        figures.row("ratio replicated / (plain + M), 1 thread", where, Map.of("ratio", Spread.of(overSum)));
        boolean leads = member.equals("leader");
        figures.ratios()
                .put(leads ? "addedLatencyOverRawOrder" : "addedLatencyOverRawOrderAtAFollower", ratio.median());
        figures.ratio("corbaP50OverPlainPlusMinimal", member, Spread.of(overSum).median());
        switches(figures, member, replicatedTurns, plainTurns);
        figures.atMost("added p50 at 1 thread / p50 of a bare RAFT commit, " + member, ratio.median(), 1.1);
    }

    /** Of a call with one thread: at this member, and at plain JacORB when the leader is measured. */
    static void switches(Figures figures, String member, List<Side.Turn> replicated, List<Side.Turn> plain) {
        figures.ratio(
                SWITCHES,
                member,
                Spread.of(replicated, Side.Turn::switchesPerCall).median());
        if (member.equals("leader")) {
            figures.ratio(
                    SWITCHES,
                    "plain",
                    Spread.of(plain, Side.Turn::switchesPerCall).median());
        }
    }

    private static Map<String, Object> oneThreadMetrics(List<Side.Turn> turns) {
        return Map.of(
                "p50Micros",
                Spread.of(turns, Side.Turn::p50Micros),
                SWITCHES,
                Spread.of(turns, Side.Turn::switchesPerCall));
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
