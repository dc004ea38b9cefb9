package org.amo.lab;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.amo.cli.CliException;
import org.amo.cli.ExitCodes;
import org.amo.cli.HelpOption;
import org.amo.cli.JsonOption;
import org.amo.kv.KvClient;
import org.amo.kv.KvException;
import org.amo.lab.cluster.Processes;
import org.amo.lab.cluster.Wait;
import org.amo.lab.cluster.WorkFolder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code amo kv chaos}: a cluster of processes that are killed, some with their disks, under load. */
@Command(
        name = "chaos",
        description = {
            "Start a cluster, move ranges and kill processes under load, and check that no increment was lost or ran twice.",
            WorkFolder.HELP
        },
        sortOptions = false)
final class KvChaosCommand implements Callable<Integer> {
    private static final long SETTLE_MILLIS = 120_000;
    private static final long LOOK_MILLIS = 1_000;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private KvLoadOptions options = new KvLoadOptions();

    @Option(
            names = "--servers",
            defaultValue = "3",
            paramLabel = "N",
            description = "Servers. Default: ${DEFAULT-VALUE}.")
    private int servers;

    @Option(
            names = "--backups",
            defaultValue = "2",
            paramLabel = "K",
            description = "Backups that have each write; one more is started. Default: ${DEFAULT-VALUE}.")
    private int backups;

    @Option(
            names = "--delete-disk",
            description =
                    "A killed server or backup loses its disk, too; a server's and a backup's at once, if each write"
                            + " has more backups than that one.")
    private boolean deleteDisk;

    @Mixin
    private SeedOption seedOption = new SeedOption();

    @Mixin
    private JsonOption json = new JsonOption();

    @Mixin
    final HelpOption help = new HelpOption();

    private final TreeMap<String, Integer> faults = new TreeMap<>();

    @Override
    public Integer call() throws InterruptedException {
        if (servers < 1 || servers > 9 || backups < 0 || backups > 8) {
            throw CliException.user("--servers is 1 to 9 and --backups 0 to 8, not " + servers + " and " + backups);
        }
        if (deleteDisk && backups == 0) {
            throw CliException.user("without backups a lost disk loses answered calls: say --backups 1 or more");
        }
        json.check();
        long seed = seedOption.choose();
        KvLoad load = new KvLoad(options.threads(), spec.commandLine().getErr());
        WorkFolder folder = WorkFolder.create("kv");
        boolean isGood;
        try (Processes processes = new Processes(folder)) {
            KvProcesses cluster = new KvProcesses(folder, processes, servers, backups);
            cluster.startAll();
            try (KvClient client = KvClient.open(cluster.access(), Duration.ofMinutes(5), Duration.ofSeconds(1))) {
                client.increment(new byte[] {'k'}, 0);
                long end = System.nanoTime() + options.durationMillis() * 1_000_000;
                load.start(client);
                KvRecordsWatch watch = new KvRecordsWatch(client::records, options.threads(), LOOK_MILLIS);
                try {
                    new Faults(cluster, client, load, new Random(seed)).runUntil(end);
                    load.awaitEnd(System.nanoTime());
                } finally {
                    watch.end();
                }
                report(seed, load, watch);
                isGood = load.exitCode() == ExitCodes.OK && watch.isGood();
            }
        } catch (KvException | IOException e) {
            throw CliException.environment(String.valueOf(e.getMessage()));
        }
        // After a success the output of the processes is of no use.
        if (isGood) {
            folder.delete();
        } else {
            spec.commandLine().getErr().println("amo: the files of the run are in " + folder.path());
        }
        return isGood ? ExitCodes.OK : ExitCodes.CHECK_FAILED;
    }

    private void report(long seed, KvLoad load, KvRecordsWatch watch) {
        if (!json.isStandardOutput()) {
            spec.commandLine()
                    .getOut()
                    .println(load.text() + "; faults " + faults + "; " + load.latencyText() + "; " + watch.text()
                            + "; seed " + seed);
        }
        ObjectNode object = new ObjectMapper().createObjectNode();
        object.put("seed", seed).put("duration", options.durationMillis());
        load.writeCounts(object);
        ObjectNode kinds = object.putObject("faults");
        faults.forEach(kinds::put);
        load.writeLatency(object);
        watch.write(object);
        json.write(object, spec.commandLine().getOut());
    }

    /** Makes one fault after the other. The next one comes when all calls go on, and lost copies have been made anew. */
    private final class Faults {
        private final KvProcesses cluster;
        private final KvClient client;
        private final KvLoad load;
        private final Random random;

        Faults(KvProcesses cluster, KvClient client, KvLoad load, Random random) {
            this.cluster = cluster;
            this.client = client;
            this.load = load;
            this.random = random;
        }

        void runUntil(long end) {
            while (System.nanoTime() - end < 0) {
                move();
                List<String> victims = victims();
                for (String victim : victims) {
                    String kind = cluster.kind(victim);
                    boolean loses = deleteDisk && !kind.equals("coordinator");
                    cluster.kill(victim, loses);
                    faults.merge(kind + (loses ? "WithDisk" : ""), 1, Integer::sum);
                }
                // A log that had a lost copy now has a newer epoch when the copy is made anew.
                List<KvClient.Log> before = logs();
                victims.forEach(cluster::start);
                awaitCalls();
                awaitCopies(deleteDisk ? victims : List.of(), before);
            }
        }

        /** The range's servers, too, may be killed before it has moved. */
        private void move() {
            String to = any("server");
            int range = random.nextInt(KvProcesses.RANGES);
            try {
                if (client.move(range, to)) {
                    faults.merge("move", 1, Integer::sum);
                }
            } catch (KvException e) {
                // They elect a leader; it may move.
                return;
            }
        }

        /** One of a kind; or a server and a backup at once, which may be all disks but one with its writes. */
        private List<String> victims() {
            List<String> victims = new ArrayList<>();
            int choice = random.nextInt(10);
            if (choice < 2) {
                victims.add(any("coordinator"));
            }
            if (choice >= 2 && choice < 8) {
                victims.add(any("server"));
            }
            boolean both = choice >= 6 && choice < 8 && backups > 1;
            if (backups > 0 && (both || choice >= 8)) {
                victims.add(any("backup"));
            }
            return victims.isEmpty() ? List.of(any("server")) : victims;
        }

        private String any(String kind) {
            List<String> ids = cluster.ids(kind);
            return ids.get(random.nextInt(ids.size()));
        }

        private void awaitCalls() {
            long[] before = load.callsOfThreads();
            settle("not all threads got an answer", () -> {
                long[] now = load.callsOfThreads();
                for (int i = 0; i < now.length; i++) {
                    if (now[i] < before[i] + 2) {
                        return false;
                    }
                }
                return true;
            });
        }

        /** A log of which a disk was lost has been begun anew at enough backups. */
        private void awaitCopies(List<String> lost, List<KvClient.Log> before) {
            Map<String, Long> old = before.stream()
                    .filter(log -> lost.contains(log.server())
                            || log.backups().stream().anyMatch(lost::contains))
                    .collect(Collectors.toMap(KvClient.Log::server, KvClient.Log::epoch));
            settle("not all lost copies were made anew", () -> logs().stream()
                    .allMatch(log -> log.epoch() > old.getOrDefault(log.server(), 0L)));
        }

        private List<KvClient.Log> logs() {
            List<KvClient.Log> logs = new ArrayList<>();
            settle("the coordinators did not answer", () -> {
                try {
                    return logs.addAll(client.logs()) || backups == 0;
                } catch (KvException e) {
                    // They elect a leader.
                    return false;
                }
            });
            return logs;
        }

        private void settle(String failure, BooleanSupplier condition) {
            Wait.until(SETTLE_MILLIS, failure, () -> {
                cluster.startWhatEnded();
                return condition.getAsBoolean();
            });
        }
    }
}
