package org.amo.lab;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.amo.cli.HelpOption;
import org.amo.kv.KvAccess;
import org.amo.kv.KvBackup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code amo kv backup}: a disk with copies of the servers' writes. */
@Command(
        name = "backup",
        description = "Run one backup, until it is stopped; start at least as many as the coordinators' --backups.",
        sortOptions = false)
final class KvBackupCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private AccessOptions access = new AccessOptions();

    @Option(
            names = "--id",
            required = true,
            paramLabel = "ID",
            description =
                    "Unique backup id; must not change for a data directory. A server does not use the backup with its own"
                            + " id: give both the same one where they share a machine.")
    private String id = "";

    @Option(names = "--data", required = true, paramLabel = "DIR", description = "Its directory, on a disk of its own.")
    private Path data = Path.of("");

    @Mixin
    private KvDiskOptions disk = new KvDiskOptions();

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public Integer call() {
        KvAccess cluster = access.access();
        CompletableFuture<String> ended = new CompletableFuture<>();
        KvBackup backup = KvProgram.start(() -> KvBackup.start(
                new KvBackup.Options(id, disk.host(), disk.port(), data, disk.durability()), cluster, ended::complete));
        throw KvProgram.serve(
                spec, "backup " + id + " serves at " + disk.host() + ":" + backup.port(), backup::close, ended);
    }
}
