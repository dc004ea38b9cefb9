package org.amo.benchmarks.fts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.amo.benchmarks.Bench;
import org.amo.benchmarks.figures.Figures;
import org.amo.benchmarks.figures.Spread;
import org.amo.core.order.Member;
import org.amo.replication.FreePorts;

/** {@code amo bench failover}: the longest call of any client when the member that serves it is killed under load. */
final class FailoverBench implements Bench {
    private static final int CLIENTS = 4;
    private static final int THREADS = 4;
    private static final long BEFORE_MILLIS = 2_000;
    private static final long AFTER_MILLIS = 5_000;

    @Override
    public String name() {
        return "failover";
    }

    @Override
    public String description() {
        return "The longest call of any client when the replica that serves it is killed under load.";
    }

    @Override
    public Figures measure(Run run) throws IOException, InterruptedException {
        Figures figures = new Figures(name());
        int kills = run.quick() ? 5 : 20;
        figures.settings().put("kills", kills);
        figures.settings().put("clients", CLIENTS);
        figures.settings().put("threadsAClient", THREADS);
        figures.settings().put("log", "memory");
        figures.settings().put("compiler", run.compiler());
        figures.settings().put("deadlineMillis", 10_000);
        List<Double> all = new ArrayList<>();
        Map<Boolean, List<Double>> byRole = new LinkedHashMap<>();
        for (int kill = 0; kill < kills; kill++) {
            // The leader orders for all, so its end costs an election too.
            boolean leader = kill % 2 == 0;
            Path folder = Files.createDirectories(run.folder().resolve("kill-" + kill));
            double longest = longestMillis(run, folder, leader, figures);
            run.progress().accept("%s killed: longest call %.0f ms".formatted(leader ? "leader" : "follower", longest));
            all.add(longest);
            byRole.computeIfAbsent(leader, key -> new ArrayList<>()).add(longest);
        }
        byRole.forEach((leader, millis) -> figures.row(
                leader ? "the connected leader is killed" : "the connected follower is killed",
                Map.of("kills", millis.size()),
                Map.of("longestCallMillis", Spread.of(millis))));
        Map<String, Double> heights = new LinkedHashMap<>();
        for (int kill = 0; kill < kills; kill++) {
            heights.put((kill % 2 == 0 ? "leader " : "follower ") + (kill + 1), all.get(kill));
        }
        figures.columns()
                .add(new Figures.Columns("failover", "Longest call around each kill", "milliseconds", heights));
        Spread spread = Spread.of(all);
        figures.ratios().put("longestCallMillis", Map.of("median", spread.median(), "worst", spread.most()));
        figures.atMost("longest call of any client, ms, median of " + kills + " kills", spread.median(), 500);
        figures.atMost("longest call of any client, ms, worst of " + kills + " kills", spread.most(), 2_000);
        return figures;
    }

    private static double longestMillis(Run run, Path folder, boolean leader, Figures figures)
            throws IOException, InterruptedException {
        List<AutoCloseable> open = new ArrayList<>();
        try {
            List<Member> members = FreePorts.members(3);
            List<ServerProcess> replicas =
                    BankGroup.start(HelloServer.class, folder, members, run.jvmFlags("-Xmx512m"), open);
            String reference = replicas.get(0).awaitReference();
            String connected = BankReplicaStatus.await(members).member(members, leader);
            Map<String, String> client = BankGroup.clientAt(members, connected);
            client.put("amo.deadlineMillis", "10000");
            List<CallLoad> loads = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                CallLoad load = CallLoad.greetings(BankGroup.client(client), reference, THREADS);
                loads.add(load);
                open.add(load);
                load.resume();
            }
            TimeUnit.MILLISECONDS.sleep(BEFORE_MILLIS);
            loads.forEach(CallLoad::forgetLatency);
            List<String> ids = members.stream().map(Member::id).toList();
            replicas.get(ids.indexOf(connected)).close();
            TimeUnit.MILLISECONDS.sleep(AFTER_MILLIS);
            double longest = 0;
            for (CallLoad load : loads) {
                longest = Math.max(longest, load.longestMillis());
                if (load.failures() > 0) {
                    figures.violations().add(load.failures() + " calls failed: " + load.lastFailure());
                }
            }
            return longest;
        } finally {
            ReplicatedOverPlain.closeAll(open);
        }
    }
}
