package org.amo.benchmarks.fts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.amo.benchmarks.Bench;
import org.amo.benchmarks.figures.Figures;
import org.amo.benchmarks.figures.Spread;

/** {@code amo bench failover}: the longest call of any client when the member that serves it is killed, or hands its lead over. */
final class FailoverBench implements Bench {
    private static final long AFTER_KILL_MILLIS = 5_000;
    private static final long AFTER_HAND_OVER_MILLIS = 1_000;

    @Override
    public String name() {
        return "failover";
    }

    @Override
    public String description() {
        return "The longest call of any client when the replica that serves it is killed under load, or hands its lead over.";
    }

    @Override
    public Figures measure(Run run) throws IOException, InterruptedException {
        Figures figures = new Figures(name());
        int kills = run.quick() ? 5 : 20;
        figures.settings().put("kills", kills);
        figures.settings().put("clients", LoadedGroup.CLIENTS);
        figures.settings().put("threadsAClient", LoadedGroup.THREADS);
        figures.settings().put("log", "memory");
        figures.settings().put("compiler", run.compiler());
        figures.settings().put("deadlineMillis", LoadedGroup.DEADLINE_MILLIS);
        List<Double> all = new ArrayList<>();
        Map<Boolean, List<Double>> byRole = new LinkedHashMap<>();
        for (int kill = 0; kill < kills; kill++) {
            // The leader orders for all, so its end costs an election too.
            boolean leader = kill % 2 == 0;
            Path folder = Files.createDirectories(run.folder().resolve("kill-" + kill));
            double longest = killMillis(run, folder, leader, figures);
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
        handOvers(run, figures);
        return figures;
    }

    private static double killMillis(Run run, Path folder, boolean leader, Figures figures)
            throws IOException, InterruptedException {
        try (LoadedGroup group = LoadedGroup.start(run, folder, leader)) {
            group.forget();
            group.killConnected();
            double longest = group.longestMillis(AFTER_KILL_MILLIS);
            group.checkCalls(figures);
            return longest;
        }
    }

    /** The lead goes round while the clients stay where they are. */
    private static void handOvers(Run run, Figures figures) throws IOException, InterruptedException {
        int count = run.quick() ? 5 : 20;
        List<Double> longest = new ArrayList<>();
        Path folder = Files.createDirectories(run.folder().resolve("hand-overs"));
        try (LoadedGroup group = LoadedGroup.start(run, folder, true)) {
            for (int i = 0; i < count; i++) {
                group.forget();
                group.handOver();
                longest.add(group.longestMillis(AFTER_HAND_OVER_MILLIS));
            }
            group.checkCalls(figures);
        }
        Spread spread = Spread.of(longest);
        figures.row("the leader hands over", Map.of("handOvers", count), Map.of("longestCallMillis", spread));
        figures.ratios().put("handOverMillis", Map.of("median", spread.median(), "worst", spread.most()));
        run.progress().accept("lead handed over: longest call %.0f ms".formatted(spread.most()));
        figures.atMost("longest call of any client, ms, worst of " + count + " hand-overs", spread.most(), 200);
    }
}
