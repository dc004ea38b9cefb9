package org.amo.lab;

import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.amo.cli.HelpOption;
import org.amo.kv.KvAccess;
import org.amo.kv.KvServer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code amo kv server}: one server of ranges of keys. */
@Command(
        name = "server",
        description = "Run one server, until it is stopped. Prints one line once key ranges are assigned.",
        sortOptions = false)
final class KvServerCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private AccessOptions access = new AccessOptions();

    @Option(
            names = "--id",
            required = true,
            paramLabel = "ID",
            description = "Unique server id; must not change for a data directory.")
    private String id = "";

    @Option(
            names = "--data",
            required = true,
            paramLabel = "DIR",
            description = "Its directory, which the other servers can read.")
    private Path data = Path.of("");

    @Mixin
    private KvDiskOptions disk = new KvDiskOptions();

    @Option(
            names = "--give-up",
            paramLabel = "STORE",
            description = "Serve the ranges of a lost directory without their answered calls: STORE is the id in the"
                    + " message that refused the start.")
    private Optional<String> lostStore = Optional.empty();

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public Integer call() {
        KvAccess cluster = access.access();
        CompletableFuture<String> ended = new CompletableFuture<>();
        KvServer server = KvProgram.start(() -> KvServer.start(
                KvServer.Options.builder(id, data)
                        .listen(disk.host(), disk.port())
                        .durability(disk.durability())
                        .lostStore(lostStore)
                        .build(),
                cluster,
                ended::complete));
        throw KvProgram.serve(
                spec, "server " + id + " serves at " + disk.host() + ":" + server.port(), server::close, ended);
    }
}
