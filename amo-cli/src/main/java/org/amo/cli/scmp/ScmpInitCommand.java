package org.amo.cli.scmp;

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
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code amo scmp init}: the operator's word that a server never ran. */
@Command(
        name = "init",
        description = "Make the state file of a server whose name never existed, once, before its first start.")
final class ScmpInitCommand implements Callable<Integer> {
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
