package org.amo.cli.bench;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.amo.benchmarks.order.OrderBench;
import org.amo.cli.HelpOption;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code amo bench order}. */
@Command(
        name = "order",
        description = "The ordered log and its peers (JGroups, Apache Ratis), bare and with amo on top.",
        sortOptions = false)
public final class OrderBenchCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    final FiguresOutput output = new FiguresOutput();

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public Integer call() throws IOException, InterruptedException {
        return output.run(List.of(new OrderBench()), false, spec.commandLine());
    }
}
