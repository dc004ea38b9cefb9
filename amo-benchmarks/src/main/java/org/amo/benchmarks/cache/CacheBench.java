package org.amo.benchmarks.cache;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.amo.benchmarks.Bench;
import org.amo.benchmarks.figures.Figures;
import org.amo.benchmarks.figures.Spread;

/** {@code amo bench cache}: bytes of an entry and of a client, and five ways to prune on one workload. */
public final class CacheBench implements Bench {

    private record Subject(String name, boolean lease, Supplier<ReplyCache> cache) {}

    /** Bytes of a live entry beyond its reply, measured in a virtual machine of its own. */
    public static double liveEntryBytes() throws IOException, InterruptedException {
        return Footprint.liveEntryBytes(Footprint.QUICK_ENTRIES);
    }

    /** Bytes of a client that has acknowledged all its replies, measured so, too. */
    public static double idleClientBytes() throws IOException, InterruptedException {
        return Footprint.idleClientBytes(Footprint.QUICK_ENTRIES);
    }

    /** Bytes of a client whose only reply has expired, measured so, too. */
    public static double expiredClientBytes() throws IOException, InterruptedException {
        return Footprint.expiredClientBytes(Footprint.QUICK_ENTRIES);
    }

    @Override
    public String name() {
        return "cache";
    }

    @Override
    public String description() {
        return "Bytes of the reply cache, and five ways to prune it on one workload.";
    }

    @Override
    public Figures measure(Run run) throws IOException, InterruptedException {
        Figures figures = new Figures(name());
        int rounds = run.quick() ? 5 : 9;
        int clients = 500;
        long virtualMillis = run.quick() ? 30_000 : 90_000;
        int entries = run.quick() ? Footprint.QUICK_ENTRIES : Footprint.FULL_ENTRIES;
        figures.settings().put("clients", clients);
        figures.settings().put("threadsAClient", Workload.THREADS_A_CLIENT);
        figures.settings().put("virtualMillis", virtualMillis);
        figures.settings().put("deadlineMillis", Workload.DEADLINE_MILLIS);
        figures.settings().put("rounds", rounds);
        figures.settings().put("firstSeed", 1);
        figures.settings().put("entriesOfTheFootprint", entries);
        run.progress().accept("bytes of an entry and of a client");
        Footprint.Bytes bytes = Footprint.measure(entries);
        figures.ratios()
                .put("bytesPerLiveEntry", Map.of("heap", bytes.liveEntry(), "chronicle", bytes.chronicleEntry()));
        figures.ratios().put("bytesPerIdleClient", bytes.idleClient());
        Map<String, Object> footprint = new LinkedHashMap<>();
        footprint.put("bytesPerLiveEntry", bytes.liveEntry());
        footprint.put("bytesPerLiveEntryOneAClient", bytes.liveEntryAlone());
        footprint.put("bytesPerIdleClient", bytes.idleClient());
        figures.row("footprint heap", Map.of("entries", entries), footprint);
        figures.row(
                "footprint chronicle (outside the heap)",
                Map.of("entries", entries),
                Map.of("bytesPerLiveEntry", bytes.chronicleEntry()));
        policies(run, figures, rounds, clients, virtualMillis, bytes.liveEntry());
        figures.atMost("bytes of a live entry beyond its reply, heap", bytes.liveEntry(), 48);
        figures.atMost("bytes of an idle client", bytes.idleClient(), 72);
        return figures;
    }

    private static void policies(
            Run run, Figures figures, int rounds, int clients, long virtualMillis, double entryBytes) {
        List<Subject> subjects = new ArrayList<>();
        for (PruningPolicy policy : PruningPolicy.values()) {
            subjects.add(new Subject(
                    policy.word(),
                    policy == PruningPolicy.LEASE,
                    () -> new PrunedReplies(policy, Workload.RETENTION_MILLIS, Workload.SKEW_MILLIS)));
        }
        int safe = subjects.size();
        for (PruningPolicy policy : List.of(PruningPolicy.TIMEOUT, PruningPolicy.NEXT, PruningPolicy.SACK)) {
            subjects.add(new Subject(
                    policy.word() + " as printed (unsafe: forgets the id)",
                    false,
                    () -> new PrintedForm(policy, Workload.SKEW_MILLIS)));
        }
        List<List<Workload.Result>> results = new ArrayList<>();
        subjects.forEach(subject -> results.add(new ArrayList<>()));
        for (int round = -1; round < rounds; round++) {
            for (int i = 0; i < subjects.size(); i++) {
                int which = Math.floorMod(round, 2) == 0 ? i : subjects.size() - 1 - i;
                Subject subject = subjects.get(which);
                Workload.Result result =
                        new Workload(subject.cache().get(), subject.lease(), clients, virtualMillis, 2L + round).run();
                run.progress().accept(subject.name() + ": " + Math.round(result.entries()) + " entries");
                if (round >= 0) {
                    results.get(which).add(result);
                }
            }
        }
        Map<String, Object> ratios = new LinkedHashMap<>();
        for (int i = 0; i < subjects.size(); i++) {
            List<Workload.Result> measured = results.get(i);
            long late =
                    measured.stream().mapToLong(Workload.Result::lateExecuted).sum();
            Map<String, Object> metrics = new LinkedHashMap<>();
            metrics.put("entries", Spread.of(measured, Workload.Result::entries));
            metrics.put("bytes", Spread.of(measured, result -> result.replyBytes() + result.entries() * entryBytes));
            metrics.put("opsPerSecond", Spread.of(measured, Workload.Result::opsPerSecond));
            metrics.put(
                    "executed",
                    measured.stream().mapToLong(Workload.Result::executed).sum());
            metrics.put(
                    "lateCopies",
                    measured.stream().mapToLong(Workload.Result::lateCopies).sum());
            metrics.put("lateDuplicatesExecuted", late);
            figures.row(subjects.get(i).name(), Map.of("safe", i < safe), metrics);
            if (i < safe) {
                Map<String, Object> ratio = new LinkedHashMap<>();
                for (String name : List.of("entries", "bytes", "opsPerSecond")) {
                    ratio.put(name, ((Spread) metrics.getOrDefault(name, Spread.of(List.of()))).median());
                }
                ratio.put("lateDuplicatesExecuted", late);
                ratios.put(subjects.get(i).name(), ratio);
                if (late > 0) {
                    figures.violations().add(subjects.get(i).name() + ": " + late + " late duplicates were executed");
                }
            }
        }
        figures.ratios().put("policies", ratios);
        Map<String, Double> entries = new LinkedHashMap<>();
        for (int i = 0; i < safe; i++) {
            entries.put(
                    subjects.get(i).name(),
                    Spread.of(results.get(i), Workload.Result::entries).median());
        }
        figures.columns()
                .add(new Figures.Columns(
                        "cache-entries", "Live entries of " + clients + " clients", "entries", entries));
    }
}
