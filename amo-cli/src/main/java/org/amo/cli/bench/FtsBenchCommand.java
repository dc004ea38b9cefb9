package org.amo.cli.bench;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.amo.benchmarks.fts.FtsBench;
import org.amo.cli.HelpOption;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code amo bench fts}. */
@Command(
        name = "fts",
        description =
                "Replicated CORBA calls with and without acknowledgements, as paper 004 measures them, and against plain"
                        + " JacORB.",
        sortOptions = false)
public final class FtsBenchCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    final FiguresOutput output = new FiguresOutput();

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public Integer call() throws IOException, InterruptedException {
        return output.run(List.of(new FtsBench()), false, spec.commandLine());
    }
}
