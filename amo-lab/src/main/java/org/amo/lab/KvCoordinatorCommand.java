package org.amo.lab;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.amo.cli.CliException;
import org.amo.cli.Durations;
import org.amo.cli.HelpOption;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.ReplicaSettings.Log;
import org.amo.kv.KvAccess;
import org.amo.kv.KvCoordinator;
import org.amo.kv.KvSettings;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code amo kv coordinator}: one member of the group that keeps leases, cluster time and the map of ranges. */
@Command(
        name = "coordinator",
        description = "Run one coordinator, until it is stopped; start a majority of them.",
        sortOptions = false)
final class KvCoordinatorCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private AccessOptions access = new AccessOptions();

    @Option(names = "--id", required = true, paramLabel = "ID", description = "Id of this coordinator.")
    private String id = "";

    @Option(
            names = "--data",
            paramLabel = "DIR",
            defaultValue = ".amo/kv",
            description = "Folder for its log. Default: ${DEFAULT-VALUE}.")
    private Path data = Path.of("");

    @Option(
            names = "--log",
            paramLabel = "fsync|file|memory",
            defaultValue = "fsync",
            description =
                    "Place of the log; with memory, a coordinator cannot come back after a crash. Default: ${DEFAULT-VALUE}.")
    private Log log = Log.FSYNC;

    @Option(
            names = "--term",
            converter = Durations.class,
            defaultValue = "1000s",
            paramLabel = "TIME",
            description =
                    "How long a client's lease lasts. The first start of a cluster sets it, and the options below."
                            + " Default: ${DEFAULT-VALUE}, the paper's.")
    private Long termMillis = 0L;

    @Option(
            names = "--servers",
            defaultValue = "3",
            paramLabel = "N",
            description = "Servers that must be up before key ranges are assigned. Default: ${DEFAULT-VALUE}.")
    private int servers;

    @Option(
            names = "--ranges",
            defaultValue = "16",
            paramLabel = "N",
            description = "Number of key ranges; a server gets whole ranges. Default: ${DEFAULT-VALUE}.")
    private int ranges;

    @Option(
            names = "--dead-after",
            converter = Durations.class,
            defaultValue = "3s",
            paramLabel = "TIME",
            description = "A server that is silent for so long is recovered by the others, once its directory is free."
                    + " Default: ${DEFAULT-VALUE}.")
    private Long deadAfterMillis = 0L;

    @Option(
            names = "--backups",
            defaultValue = "0",
            paramLabel = "K",
            description =
                    "Backups that have each write of a server before its answer: so many disks may be lost at once,"
                            + " the server's included, without losing an answered call. Default: ${DEFAULT-VALUE}.")
    private int backups;

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public Integer call() {
        KvAccess cluster = access.access();
        CompletableFuture<OrderedLogException> ended = new CompletableFuture<>();
        KvCoordinator coordinator;
        try {
            KvSettings settings = new KvSettings(termMillis, 2_000_000, ranges, servers, deadAfterMillis, backups);
            coordinator = KvCoordinator.start(id, cluster, data, log, settings, ended::complete);
        } catch (IllegalArgumentException e) {
            throw CliException.user(String.valueOf(e.getMessage()));
        }
        Runtime.getRuntime().addShutdownHook(new Thread(coordinator::close));
        spec.commandLine().getOut().println("coordinator " + id + " serves");
        spec.commandLine().getOut().flush();
        throw ended.join();
    }
}
