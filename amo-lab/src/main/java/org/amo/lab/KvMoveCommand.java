package org.amo.lab;

import java.time.Duration;
import java.util.concurrent.Callable;
import org.amo.cli.CliException;
import org.amo.cli.ExitCodes;
import org.amo.cli.HelpOption;
import org.amo.kv.KvClient;
import org.amo.kv.KvException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code amo kv move}: a range goes to another server. */
@Command(
        name = "move",
        description =
                "Move a key range to another server while it is served. Exit code 1 if it does not move: the range is"
                        + " that server's, or moves already, or one of the servers is not there.",
        sortOptions = false)
final class KvMoveCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private AccessOptions access = new AccessOptions();

    @Parameters(
            index = "0",
            paramLabel = "RANGE",
            description = "Its number, from 0 to the coordinators' --ranges - 1.")
    private int range;

    @Parameters(index = "1", paramLabel = "SERVER", description = "The id of the server that gets it.")
    private String server = "";

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public Integer call() {
        if (range < 0) {
            throw CliException.user("a range has a number from 0 on, not " + range);
        }
        try (KvClient client = KvClient.open(access.access(), Duration.ofSeconds(60), Duration.ofSeconds(1))) {
            boolean moves = client.move(range, server);
            spec.commandLine()
                    .getOut()
                    .println(moves ? "range " + range + " moves to " + server : "range " + range + " does not move");
            return moves ? ExitCodes.OK : ExitCodes.CHECK_FAILED;
        } catch (KvException e) {
            throw CliException.environment(String.valueOf(e.getMessage()));
        }
    }
}
