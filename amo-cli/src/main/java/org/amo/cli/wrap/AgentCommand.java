package org.amo.cli.wrap;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.amo.cli.CliException;
import org.amo.cli.ExitCodes;
import org.amo.cli.HelpOption;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code amo agent}: deterministic execution for a Java service, as {@code amo wrap server} gives it to a CORBA server. */
@Command(
        name = "agent",
        description = {
            "Write the agent that makes clocks, random numbers and identity hashes in the operations of a Java service"
                    + " (AmoReplica) equal at all members, and print the options that each member's java needs, one a line.",
            "-Damo.deterministic=KINDS and -Damo.threads=warn|refuse|ordered choose as --deterministic and --threads of"
                    + " wrap server do."
        },
        sortOptions = false)
public final class AgentCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--out",
            paramLabel = "FOLDER",
            defaultValue = "amo-agent",
            description = "Where to write it; an agent there is replaced. Default: ${DEFAULT-VALUE}")
    private Path out = Path.of("amo-agent");

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public Integer call() {
        Path folder = out.toAbsolutePath().normalize();
        try {
            PrintWriter printer = spec.commandLine().getOut();
            // In front, so that an option of the user's behind it wins.
            printer.println(ServerWrap.ALL_MESSAGES);
            printer.println("-javaagent:" + AgentJars.writeForService(folder) + "=" + folder);
            printer.flush();
            return ExitCodes.OK;
        } catch (IOException e) {
            throw CliException.environment(
                    "cannot write " + folder + " (" + e + "); give --out a folder that this user may write");
        }
    }
}
