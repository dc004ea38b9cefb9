package org.amo.lab;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.amo.cli.CliException;
import org.amo.cli.ExitCodes;
import org.amo.cli.HelpOption;
import org.amo.scmp.udp.ScmpServer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code amo scmp}: the operator's part in the life of an SCMP server. */
@Command(
        name = "scmp",
        description = "Prepare a server of at-most-once calls over UDP (SCMP).",
        subcommands = ScmpCommand.Init.class,
        synopsisSubcommandLabel = "init")
final class ScmpCommand implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "say which: scmp init FILE");
    }

    /** {@code amo scmp init}. */
    @Command(
            name = "init",
            description = "Make the state file of a server whose name never existed, once, before its first start.")
    static final class Init implements Callable<Integer> {
        @Spec
        private CommandSpec spec = CommandSpec.create();

        @Parameters(paramLabel = "FILE", description = "The file that the server is started with.")
        private Path file = Path.of("");

        @Mixin
        final HelpOption help = new HelpOption();

        @Override
        public Integer call() {
            try {
                ScmpServer.initialize(file);
            } catch (IOException e) {
                throw CliException.user(String.valueOf(e.getMessage()));
            }
            spec.commandLine().getOut().println(file + " is that of a server that never served");
            return ExitCodes.OK;
        }
    }
}
