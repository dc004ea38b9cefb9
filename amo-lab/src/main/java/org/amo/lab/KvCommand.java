package org.amo.lab;

import org.amo.cli.HelpOption;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code amo kv}: the programs of amo-kv. */
@Command(
        name = "kv",
        description = "A sharded key-value service whose writes run once: coordinators, servers, backups, clients.",
        subcommands = {
            KvCoordinatorCommand.class,
            KvServerCommand.class,
            KvBackupCommand.class,
            KvClientCommand.class,
            KvMoveCommand.class,
            KvBenchCommand.class,
            KvChaosCommand.class,
        },
        synopsisSubcommandLabel = "COMMAND")
final class KvCommand implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "no command given; there are coordinator, server, backup, client, move, bench and chaos");
    }
}
