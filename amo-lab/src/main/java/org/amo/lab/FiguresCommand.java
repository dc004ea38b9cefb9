package org.amo.lab;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.amo.benchmarks.Bench;
import org.amo.benchmarks.Children;
import org.amo.benchmarks.figures.ComparisonReport;
import org.amo.benchmarks.figures.Figures;
import org.amo.cli.CliException;
import org.amo.cli.Commit;
import org.amo.cli.ExitCodes;
import org.amo.cli.HelpOption;
import org.amo.cli.Terminal;
import org.amo.lab.cluster.Processes;
import org.amo.lab.cluster.Programs;
import org.amo.lab.cluster.WorkFolder;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code amo bench NAME}: runs one measurement, or all. A bar that is missed is a check that failed. */
@Command(sortOptions = false)
final class FiguresCommand implements Callable<Integer> {
    private final List<Bench> benches;
    private final boolean nested;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    final BenchOptions options = new BenchOptions();

    @Mixin
    final HelpOption help = new HelpOption();

    private FiguresCommand(List<Bench> benches, boolean nested) {
        this.benches = benches;
        this.nested = nested;
    }

    /** The command that runs one. */
    static CommandLine of(Bench bench) {
        return described(new FiguresCommand(List.of(bench), false), bench.description());
    }

    /** The command that runs them all; its JSON has an object for each, by name. */
    static CommandLine ofAll(List<Bench> benches) {
        List<String> names = benches.stream().map(Bench::name).toList();
        return described(
                new FiguresCommand(List.copyOf(benches), true),
                String.join(", ", names) + ", one after the other; the JSON has an object for each.");
    }

    private static CommandLine described(FiguresCommand command, String description) {
        CommandLine line = new CommandLine(command);
        line.getCommandSpec().usageMessage().description(description);
        return line;
    }

    @Override
    public Integer call() throws InterruptedException {
        options.json.check();
        CommandLine command = spec.commandLine();
        List<Figures> measured = measure(Terminal.progress(command.getErr()));
        String commit = Commit.hash();
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        for (Figures figures : measured) {
            options.toFolder(folder -> ComparisonReport.write(folder, figures, options.quick, commit));
            if (options.json.isStandardOutput()) {
                ComparisonReport.printMisses(figures, command.getErr());
            } else {
                ComparisonReport.print(figures, command.getOut());
            }
            ObjectNode one = figures.json(options.quick, commit);
            if (nested) {
                object.set(figures.bench(), one);
            } else {
                object.setAll(one);
            }
        }
        if (nested) {
            options.toFolder(folder -> ComparisonReport.writeBars(folder, measured, options.quick, commit));
        }
        options.json.write(object, command.getOut());
        return measured.stream().allMatch(Figures::good) ? ExitCodes.OK : ExitCodes.CHECK_FAILED;
    }

    private List<Figures> measure(Consumer<String> progress) throws InterruptedException {
        List<Figures> measured = new ArrayList<>();
        WorkFolder folder = WorkFolder.create("bench");
        // A signal ends the processes first: they would write on into the folder.
        Processes processes = new Processes(folder, Children::endAll);
        try {
            for (Bench bench : benches) {
                Path own = Files.createDirectories(folder.file(bench.name()));
                measured.add(bench.measure(new Bench.Run(options.quick, own, progress, Programs::wrappedBank)));
            }
        } catch (IOException e) {
            throw CliException.environment("the measurement stopped: " + e.getMessage()
                    + "; the output of its processes is in " + folder.path());
        } finally {
            processes.close();
        }
        folder.delete();
        return measured;
    }
}
