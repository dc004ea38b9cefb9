package org.amo.cli.exon;

import org.amo.cli.HelpOption;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "bench")
final class ExonBenchCommand implements Callable<Integer> {
    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public Integer call() {
        return 0;
    }
}
