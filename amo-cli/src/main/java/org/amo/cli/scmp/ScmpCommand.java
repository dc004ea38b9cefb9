package org.amo.cli.scmp;

import org.amo.cli.HelpOption;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code amo scmp}: at-most-once calls over UDP without a group. */
@Command(
        name = "scmp",
        description = "Serve and make calls over UDP that run at most once, without a connection (SCMP).",
        subcommands = {ScmpInitCommand.class, ScmpKeyCommand.class, ScmpServeCommand.class, ScmpCallCommand.class},
        synopsisSubcommandLabel = "init|key|serve|call")
public final class ScmpCommand implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "say which: scmp init FILE once, scmp key for each client, scmp serve, and scmp call HOST:PORT");
    }
}
