package org.amo.cli.bench;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.amo.benchmarks.cache.CacheBench;
import org.amo.benchmarks.fts.FtsBench;
import org.amo.benchmarks.order.OrderBench;
import org.amo.cli.HelpOption;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code amo bench all}. */
@Command(
        name = "all",
        description = "Those of fts, cache and order, one after the other; the JSON has an object for each.",
        sortOptions = false)
public final class AllBenchCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    final FiguresOutput output = new FiguresOutput();

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public Integer call() throws IOException, InterruptedException {
        return output.run(List.of(new FtsBench(), new CacheBench(), new OrderBench()), true, spec.commandLine());
    }
}
