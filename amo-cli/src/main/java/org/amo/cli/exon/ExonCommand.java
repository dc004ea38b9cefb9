package org.amo.cli.exon;

import org.amo.cli.HelpOption;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code amo exon}: files and lines over a link that loses datagrams. */
@Command(
        name = "exon",
        description =
                "Send files or lines over UDP to another machine, also over a link that loses, repeats and reorders"
                        + " datagrams.",
        subcommands = {ExonRecvCommand.class, ExonSendCommand.class, ExonBenchCommand.class},
        synopsisSubcommandLabel = "recv|send|bench")
public final class ExonCommand implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "say which: exon recv on the one machine, exon send or exon bench on the other");
    }
}
