package org.amo.lab;

import java.util.List;
import org.amo.benchmarks.Bench;
import org.amo.benchmarks.cache.CacheBench;
import org.amo.benchmarks.dpg.DpgBench;
import org.amo.benchmarks.exon.ExonBench;
import org.amo.benchmarks.fts.FtsBench;
import org.amo.benchmarks.order.OrderBench;
import org.amo.benchmarks.rpclog.OnceBench;
import org.amo.benchmarks.rpclog.RpclogBench;
import org.amo.benchmarks.scmp.ScmpBench;
import org.amo.cli.HelpOption;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code amo bench}: figures, as ratios measured side by side in one run. A new benchmark is one more in the list. */
@Command(
        name = "bench",
        description = "Measure amo against its alternatives, side by side in one run; only the ratios count.",
        synopsisSubcommandLabel = "BENCH")
final class BenchCommand implements Runnable {
    private static final List<Bench> BENCHES = List.of(
            new FtsBench(),
            FtsBench.failover(),
            new CacheBench(),
            new OrderBench(),
            OrderBench.transfer(),
            FtsBench.withoutCorba(),
            new ScmpBench(),
            new ExonBench(),
            new RpclogBench(),
            new OnceBench(),
            new DpgBench());

    private CommandSpec spec = CommandSpec.create();

    @Mixin
    final HelpOption help = new HelpOption();

    @Spec
    void spec(CommandSpec value) {
        spec = value;
        BENCHES.forEach(bench -> value.addSubcommand(bench.name(), FiguresCommand.of(bench)));
        // Of this machine alone: without ratios that another run could be held to.
        Bench sizing = FtsBench.sizing();
        value.addSubcommand(sizing.name(), FiguresCommand.of(sizing));
        value.addSubcommand("jmh", new CommandLine(new JmhBenchCommand()));
        value.addSubcommand("all", FiguresCommand.ofAll(BENCHES));
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "bench needs the name of one: "
                        + String.join(", ", spec.subcommands().keySet()));
    }
}
