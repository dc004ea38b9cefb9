package org.amo.benchmarks.fts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.amo.benchmarks.Bench;
import org.amo.benchmarks.figures.Figures;
import org.amo.benchmarks.figures.Spread;
import org.amo.benchmarks.order.Cluster;
import org.amo.core.order.Member;
import org.amo.replication.FreePorts;
import org.amo.replication.service.AmoClient;

/**
 * The replicated call without CORBA: against the same over JacORB, against the bare log with entries as many, as large and as
 * full, and against the floor.
 */
final class JavaBench implements Bench {
    static final int THREADS = 64;
    static final int COMMAND_BYTES = 16;

    @Override
    public String name() {
        return "java";
    }

    @Override
    public String description() {
        return "Replicated calls of plain Java, against the replicated CORBA call and the bare ordered log.";
    }

    /** The totals that a member ordered up to a moment. */
    private record Ordered(double requests, double entries, double bytes) {

        static Ordered of(ServerProcess member) throws IOException {
            double[] numbers = PublishedFile.numbers(JavaServer.ordered(member.reference()));
            return new Ordered(numbers[0], numbers[1], numbers[2]);
        }

        Ordered since(Ordered before) {
            return new Ordered(requests - before.requests, entries - before.entries, bytes - before.bytes);
        }

        double requestsPerEntry() {
            return requests / Math.max(1, entries);
        }

        int bytesPerEntry() {
            return (int) Math.max(COMMAND_BYTES, bytes / Math.max(1, entries));
        }

        /** So many entries hold the calls of all callers. */
        int entriesOutstanding() {
            return (int) Math.max(1, Math.round(THREADS / requestsPerEntry()));
        }
    }

    @Override
    public Figures measure(Run run) throws IOException, InterruptedException {
        Figures figures = new Figures(name());
        figures.settings().put("command", COMMAND_BYTES + " bytes; over CORBA set_greeting with 15 characters");
        figures.settings().put("log", "memory");
        figures.settings().put("compiler", run.compiler());
        Path folder = run.folder();
        List<AutoCloseable> open = new ArrayList<>();
        try {
            List<Member> corbaMembers = FreePorts.members(3);
            Path corbaFolder = Files.createDirectories(folder.resolve("corba"));
            List<ServerProcess> corba =
                    BankGroup.start(HelloServer.class, corbaFolder, corbaMembers, run.jvmFlags("-Xmx1g"), open);
            List<Member> javaMembers = FreePorts.members(3);
            List<ServerProcess> java = javaGroup(run, folder, javaMembers, "memory", open);
            Cluster raft = Cluster.bareRaft(run, folder);
            open.add(raft);
            for (ServerProcess member : java) {
                member.awaitReference();
            }
            String reference = corba.get(0).awaitReference();
            Map<String, String> client = BankGroup.clientAt(
                    corbaMembers, BankReplicaStatus.await(corbaMembers).leader());
            Side overCorba = ReplicatedOverPlain.side("3 replicas, CORBA", client, reference, THREADS, corba, open);
            Side plainJava = new Side(
                    "3 replicas, plain Java",
                    List.of(CallLoad.commands(client(javaMembers), COMMAND_BYTES, THREADS, CallLoad.Callers.PLATFORM)),
                    java);
            open.add(plainJava);
            Side oneThread = new Side(
                    "3 replicas, plain Java, 1 thread",
                    List.of(CallLoad.commands(client(javaMembers), COMMAND_BYTES, 1, CallLoad.Callers.PLATFORM)),
                    java);
            open.add(oneThread);
            Side reads = new Side(
                    "3 replicas, plain Java, linearizable reads",
                    List.of(CallLoad.reads(client(javaMembers), COMMAND_BYTES, THREADS)),
                    java);
            open.add(reads);
            WarmUp.all(run, List.of(overCorba, plainJava));
            throughput(run, figures, overCorba, plainJava, raft);
            if (run.quick()) {
                figures.remarks().add("no ratio of asynchronous calls to bare RAFT: it needs a run without --quick");
            } else {
                asyncOverBare(
                        run,
                        figures,
                        new Side(
                                "3 replicas, plain Java, asynchronous",
                                List.of(outstanding(javaMembers, THREADS)),
                                java),
                        raft);
            }
            WarmUp.all(run, List.of(reads));
            reads(run, figures, plainJava, reads);
            WarmUp.all(run, List.of(oneThread));
            latency(run, figures, oneThread, raft);
            List<Side> sides = new ArrayList<>(List.of(overCorba, plainJava, reads, oneThread));
            FloorGroup floor = FloorGroup.start(run, folder, false);
            open.add(floor);
            JavaOverFloor overFloor = new JavaOverFloor(run, figures, floor, javaMembers, java, open);
            sides.addAll(overFloor.measure("M", run.quick() ? 3 : 10, run.quick() ? 1_000 : 3_000));
            if (!run.quick()) {
                sides.addAll(forced(run, figures, folder, open));
            }
            for (Side side : sides) {
                side.noteFailures(figures, side.name());
            }
            return figures;
        } finally {
            ReplicatedOverPlain.closeAll(open);
        }
    }

    /** Members that force their log to disk, over a floor that does. */
    private static List<Side> forced(Run run, Figures figures, Path folder, List<AutoCloseable> open)
            throws IOException, InterruptedException {
        List<Member> members = FreePorts.members(3);
        List<ServerProcess> servers = javaGroup(run, folder, members, "fsync", open);
        FloorGroup floor = FloorGroup.start(run, folder, true);
        open.add(floor);
        for (ServerProcess server : servers) {
            server.awaitReference();
        }
        return new JavaOverFloor(run, figures, floor, members, servers, open).measureForced("M with fsync", 10, 3_000);
    }

    private static List<ServerProcess> javaGroup(
            Run run, Path folder, List<Member> members, String log, List<AutoCloseable> open) throws IOException {
        List<ServerProcess> servers = new ArrayList<>();
        for (Member member : members) {
            Map<String, String> properties = new LinkedHashMap<>();
            properties.put("amo.id", member.id());
            properties.put("amo.members", Member.format(members));
            properties.put("amo.data", folder.resolve("java-" + log).toString());
            properties.put("bench.log", log);
            properties.put("java.util.logging.config.class", "org.amo.interceptors.logging.QuietLogging");
            ServerProcess server = ServerProcess.start(
                    JavaServer.class, folder, "java-" + log + "-" + member.id(), run.jvmFlags("-Xmx1g"), properties);
            servers.add(server);
            open.add(server);
        }
        return servers;
    }

    private static void throughput(Run run, Figures figures, Side overCorba, Side plainJava, Cluster raft)
            throws IOException, InterruptedException {
        int rounds = run.quick() ? 5 : 10;
        long millis = run.quick() ? 2_000 : 3_000;
        ServerProcess asked = plainJava.servers().get(0);
        Ordered start = Ordered.of(asked);
        plainJava.turn(millis);
        Ordered first = Ordered.of(asked).since(start);
        int bytes = first.bytesPerEntry();
        int entries = first.entriesOutstanding();
        raft.warmUp(bytes, run.quick() ? 2_000 : 60_000);
        List<Side.Turn> corbaTurns = new ArrayList<>();
        List<Side.Turn> javaTurns = new ArrayList<>();
        List<Double> bare = new ArrayList<>();
        List<Double> overCorbaRatio = new ArrayList<>();
        List<Double> overBare = new ArrayList<>();
        ServerProcess leader = leader(plainJava.servers());
        Allocations allocated = Allocations.of(leader);
        Ordered before = Ordered.of(asked);
        for (int round = 0; round < rounds; round++) {
            boolean forth = round % 2 == 0;
            Side.Turn one = (forth ? overCorba : plainJava).turn(millis);
            double ordered = first.requestsPerEntry() * raft.leaderPerSecond(entries, bytes, millis);
            Side.Turn other = (forth ? plainJava : overCorba).turn(millis);
            Side.Turn corba = forth ? one : other;
            Side.Turn java = forth ? other : one;
            corbaTurns.add(corba);
            javaTurns.add(java);
            bare.add(ordered);
            overCorbaRatio.add(java.callsPerSecond() / corba.callsPerSecond());
            overBare.add(java.callsPerSecond() / ordered);
            run.progress()
                    .accept("plain Java %.0f/s, CORBA %.0f/s, bare RAFT %.0f requests/s"
                            .formatted(java.callsPerSecond(), corba.callsPerSecond(), ordered));
        }
        Ordered all = Ordered.of(asked).since(before);
        row(figures, overCorba.name(), corbaTurns, Map.of());
        Map<String, Object> ofJava = Map.of(
                "requestsPerEntry",
                all.requestsPerEntry(),
                "allocatedBytesPerCall",
                Allocations.of(leader).since(allocated).bytesPerCall());
        row(figures, plainJava.name(), javaTurns, ofJava);
        figures.row(
                "bare RAFT, entries as full",
                Map.of(
                        "requestsPerEntry", first.requestsPerEntry(),
                        "bytesPerEntry", bytes,
                        "entriesOutstanding", entries),
                Map.of("requestsPerSecond", Spread.of(bare)));
        double corbaRatio = Spread.of(overCorbaRatio).median();
        double bareRatio = Spread.of(overBare).median();
        figures.row(
                "ratios of plain Java",
                Map.of("threads", THREADS),
                Map.of("overCorba", Spread.of(overCorbaRatio), "overBareRaft", Spread.of(overBare)));
        figures.ratios().put("overCorba", corbaRatio);
        figures.ratios().put("javaOverRawRaftThroughput", bareRatio);
        figures.atLeast("throughput, plain Java / CORBA, 3 replicas, 64 threads", corbaRatio, 3);
        figures.atLeast("throughput, plain Java / bare RAFT with entries as full, 64 threads", bareRatio, 0.6);
    }

    /** Calls without threads, against the bare log with entries as many, as large and as full. */
    private static void asyncOverBare(Run run, Figures figures, Side async, Cluster raft)
            throws IOException, InterruptedException {
        try (async) {
            WarmUp.all(run, List.of(async));
            long millis = 3_000;
            ServerProcess asked = async.servers().get(0);
            Ordered start = Ordered.of(asked);
            async.turn(millis);
            Ordered first = Ordered.of(asked).since(start);
            int bytes = first.bytesPerEntry();
            raft.warmUp(bytes, 60_000);
            List<Side.Turn> turns = new ArrayList<>();
            List<Double> ratios = new ArrayList<>();
            for (int round = 0; round < 10; round++) {
                boolean forth = round % 2 == 0;
                double before = forth ? raft.leaderPerSecond(first.entriesOutstanding(), bytes, millis) : 0;
                Side.Turn turn = async.turn(millis);
                double entries = forth ? before : raft.leaderPerSecond(first.entriesOutstanding(), bytes, millis);
                turns.add(turn);
                ratios.add(turn.callsPerSecond() / (first.requestsPerEntry() * entries));
                run.progress().accept("asynchronous %.0f/s".formatted(turn.callsPerSecond()));
            }
            row(figures, async.name(), turns, Map.of("requestsPerEntry", first.requestsPerEntry()));
            figures.row(
                    "ratio asynchronous / bare RAFT, entries as full",
                    Map.of("calls", THREADS, "bytesPerEntry", bytes),
                    Map.of("ratio", Spread.of(ratios)));
            figures.ratios().put("asyncOverBareRaft", Spread.of(ratios).median());
            async.noteFailures(figures, async.name());
        }
    }

    /** A read of the same size, beside the order and as an ordered call. */
    private static void reads(Run run, Figures figures, Side ordered, Side reads) throws InterruptedException {
        int rounds = run.quick() ? 5 : 10;
        long millis = run.quick() ? 2_000 : 3_000;
        List<Side.Turn> turns = new ArrayList<>();
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            boolean forth = round % 2 == 0;
            Side.Turn one = (forth ? ordered : reads).turn(millis);
            Side.Turn other = (forth ? reads : ordered).turn(millis);
            Side.Turn read = forth ? other : one;
            turns.add(read);
            ratios.add(read.callsPerSecond() / (forth ? one : other).callsPerSecond());
            run.progress().accept("reads %.0f/s".formatted(read.callsPerSecond()));
        }
        row(figures, reads.name(), turns, Map.of());
        figures.row("ratio of reads", Map.of("threads", THREADS), Map.of("overOrdered", Spread.of(ratios)));
        figures.ratios().put("queryOverOrdered", Spread.of(ratios).median());
    }

    private static void row(Figures figures, String name, List<Side.Turn> turns, Map<String, Object> more) {
        Map<String, Object> metrics = Side.Turn.metrics(turns);
        metrics.putAll(more);
        figures.row(name, Map.of("threads", THREADS), metrics);
    }

    private static void latency(Run run, Figures figures, Side oneThread, Cluster raft)
            throws IOException, InterruptedException {
        int rounds = run.quick() ? 5 : 10;
        long millis = run.quick() ? 1_000 : 2_000;
        ServerProcess asked = oneThread.servers().get(0);
        Ordered start = Ordered.of(asked);
        oneThread.turn(millis);
        int bytes = Ordered.of(asked).since(start).bytesPerEntry();
        ServerProcess leader = leader(oneThread.servers());
        Allocations allocated = Allocations.of(leader);
        List<Side.Turn> calls = new ArrayList<>();
        List<Double> commits = new ArrayList<>();
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            boolean forth = round % 2 == 0;
            double before = forth ? raft.leaderP50Micros(bytes, millis) : 0;
            Side.Turn call = oneThread.turn(millis);
            double commit = forth ? before : raft.leaderP50Micros(bytes, millis);
            calls.add(call);
            commits.add(commit);
            ratios.add(call.p50Micros() / commit);
            run.progress()
                    .accept("1 thread: plain Java %.0f us, bare commit %.0f us".formatted(call.p50Micros(), commit));
        }
        figures.row(
                oneThread.name(),
                Map.of(),
                Map.of(
                        "p50Micros", Spread.of(calls, Side.Turn::p50Micros),
                        "switchesPerCall", Spread.of(calls, Side.Turn::switchesPerCall),
                        "allocatedBytesPerCall",
                                Allocations.of(leader).since(allocated).bytesPerCall()));
        figures.row("bare RAFT commit at the leader", Map.of("bytes", bytes), Map.of("p50Micros", Spread.of(commits)));
        figures.row("ratio call / bare commit", Map.of(), Map.of("ratio", Spread.of(ratios)));
        figures.ratios().put("javaLatencyOverRawOrder", Spread.of(ratios).median());
        figures.atMost(
                "p50 at 1 thread, plain Java / bare RAFT commit, leader",
                Spread.of(ratios).median(),
                1.15);
    }

    private static ServerProcess leader(List<ServerProcess> servers) throws IOException {
        for (ServerProcess server : servers) {
            if (PublishedFile.numbers(JavaServer.ordered(server.reference()))[3] > 0) {
                return server;
            }
        }
        throw new IOException("no member of " + JavaServer.GROUP + " leads");
    }

    /** So many asynchronous calls of one client; its stages end in its own thread, as those of the floor's client do. */
    static CallLoad outstanding(List<Member> members, int calls) {
        AmoClient client = client(members, Optional.of(Runnable::run));
        return CallLoad.outstanding(calls, () -> client.callAsync(new byte[COMMAND_BYTES]), client::close);
    }

    private static AmoClient client(List<Member> members) {
        return client(members, Optional.empty());
    }

    /** @param executor where stages of asynchronous calls end; the client's default if absent */
    static AmoClient client(List<Member> members, Optional<Executor> executor) {
        AmoClient.Builder builder = AmoClient.builder(JavaServer.GROUP)
                .members(Member.format(members))
                .insecure();
        executor.ifPresent(builder::executor);
        return builder.build();
    }
}
