package org.amo.cli.bench;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.amo.benchmarks.cache.CacheBench;
import org.amo.cli.HelpOption;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code amo bench cache}. */
@Command(
        name = "cache",
        description = "Bytes of the reply cache, and five ways to prune it on one workload.",
        sortOptions = false)
public final class CacheBenchCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    final FiguresOutput output = new FiguresOutput();

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public Integer call() throws IOException, InterruptedException {
        return output.run(List.of(new CacheBench()), false, spec.commandLine());
    }
}
