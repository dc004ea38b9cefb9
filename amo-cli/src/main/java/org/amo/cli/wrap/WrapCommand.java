package org.amo.cli.wrap;

import org.amo.cli.HelpOption;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code amo wrap}: replicate programs as they are. */
@Command(
        name = "wrap",
        description = "Run a CORBA server as a replica of a group, or a client of one, without changing it.",
        subcommands = {WrapServerCommand.class, WrapClientCommand.class},
        synopsisSubcommandLabel = "server|client")
public final class WrapCommand implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "say which: wrap server ... -- java ..., or wrap client ... -- java ...");
    }
}
