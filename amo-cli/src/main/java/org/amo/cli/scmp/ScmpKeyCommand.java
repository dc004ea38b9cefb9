package org.amo.cli.scmp;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.amo.cli.CliException;
import org.amo.cli.ExitCodes;
import org.amo.cli.HelpOption;
import org.amo.scmp.udp.ScmpCredential;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code amo scmp key}: a key for one client. */
@Command(
        name = "key",
        description = {
            "Write the credential of one client: its name, and a key that is derived from the server's secret.",
            "The server needs no list of clients. The same name has the same key each time."
        },
        sortOptions = false)
final class ScmpKeyCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--secret-file",
            required = true,
            paramLabel = "FILE",
            description = "The secret of the server; it stays where it is.")
    private Path secretFile = Path.of("");

    @Option(
            names = "--client",
            required = true,
            paramLabel = "NAME",
            description = "The client's name: 1 to 64 letters, digits, '.', '-' and '_'.")
    private String client = "";

    @Parameters(paramLabel = "FILE", description = "A new file for the client, which only its owner can read.")
    private Path file = Path.of("");

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public Integer call() {
        try {
            ScmpCredential.of(ScmpSecret.key(secretFile), client).write(file);
        } catch (IllegalArgumentException e) {
            throw CliException.user("--client: " + e.getMessage());
        } catch (IOException e) {
            throw CliException.user("cannot write the credential: " + e.getMessage());
        }
        spec.commandLine().getOut().println(file + " is the credential of " + client);
        return ExitCodes.OK;
    }
}
