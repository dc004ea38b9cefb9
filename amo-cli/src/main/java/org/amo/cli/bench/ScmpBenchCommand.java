package org.amo.cli.bench;

import java.util.concurrent.Callable;
import org.amo.benchmarks.scmp.ScmpBench;
import org.amo.cli.HelpOption;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code amo bench scmp}. */
@Command(
        name = "scmp",
        description =
                "The null call over SCMP against bare UDP and TCP, on loopback and over a link of 5 ms one way (which"
                        + " needs root); calls a second; bytes of a connection.",
        sortOptions = false)
public final class ScmpBenchCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    final BenchOutput output = new BenchOutput();

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public Integer call() {
        return output.run(
                ScmpBench::run, spec.commandLine().getOut(), spec.commandLine().getErr());
    }
}
