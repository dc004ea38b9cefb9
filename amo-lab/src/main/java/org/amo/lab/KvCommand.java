package org.amo.lab;

import org.amo.cli.HelpOption;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code amo kv}: the programs of examples/kv. */
@Command(
        name = "kv",
        description = "A sharded key-value service whose writes run once: coordinators, servers, clients.",
        subcommands = {
            KvCoordinatorCommand.class,
            KvServerCommand.class,
            KvClientCommand.class,
            KvBenchCommand.class,
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
                spec.commandLine(), "no command given; there are coordinator, server, client and bench");
    }
}
