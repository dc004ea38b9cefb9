package org.amo.cli.bench;

import org.amo.cli.HelpOption;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code amo bench}: figures, as ratios measured side by side in one run. A new benchmark is a subcommand here. */
@Command(
        name = "bench",
        description = "Measure amo against what it competes with, side by side in one run; ratios are what counts.",
        subcommands = {
            FtsBenchCommand.class,
            CacheBenchCommand.class,
            OrderBenchCommand.class,
            ScmpBenchCommand.class,
            JmhBenchCommand.class,
            AllBenchCommand.class
        },
        synopsisSubcommandLabel = "BENCH")
public final class BenchCommand implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "bench needs the name of one: "
                        + String.join(", ", spec.subcommands().keySet()));
    }
}
