package org.amo.cli.bench;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.amo.benchmarks.Bench;
import org.amo.benchmarks.figures.Figures;
import org.amo.benchmarks.figures.FiguresJson;
import org.amo.benchmarks.figures.Report;
import org.amo.cli.CliException;
import org.amo.cli.Commit;
import org.amo.cli.ExitCodes;
import org.amo.cli.JsonOutput;
import org.amo.cli.Terminal;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** The options of benchmarks with bars, and what they print. A bar that is missed is a check that failed. */
final class FiguresOutput {
    @Option(
            names = "--quick",
            description = "At most three minutes each on two cores. Default: as long as the figures need.")
    private boolean quick;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            description =
                    "Write one JSON object; - is standard output, and then nothing else goes there. Default: none.")
    private Optional<String> json = Optional.empty();

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Write CSV, plots and a report in Markdown there. Default: none.")
    private Optional<Path> out = Optional.empty();

    /** @param nested whether the JSON holds an object a benchmark, by name, even for one */
    int run(List<Bench> benches, boolean nested, CommandLine command) throws IOException, InterruptedException {
        List<Figures> measured = measure(benches, Terminal.progress(command.getErr()));
        String commit = Commit.hash();
        boolean quiet = json.filter("-"::equals).isPresent();
        for (Figures figures : measured) {
            if (out.isPresent()) {
                write(out.get(), figures, commit);
            }
            if (quiet) {
                Report.printMisses(figures, command.getErr());
            } else {
                Report.print(figures, command.getOut());
            }
        }
        if (json.isPresent()) {
            ObjectNode object = JsonNodeFactory.instance.objectNode();
            for (Figures figures : measured) {
                ObjectNode one = FiguresJson.of(figures, quick, commit);
                if (nested) {
                    object.set(figures.bench(), one);
                } else {
                    object.setAll(one);
                }
            }
            JsonOutput.write(json.get(), object, command.getOut());
        }
        boolean good = measured.stream()
                .allMatch(figures -> figures.violations().isEmpty()
                        && figures.bars().stream().allMatch(Figures.Bar::reached));
        return good ? ExitCodes.OK : ExitCodes.CHECK_FAILED;
    }

    private List<Figures> measure(List<Bench> benches, Consumer<String> progress) throws InterruptedException {
        List<Figures> measured = new ArrayList<>();
        try (WorkFolder folder = WorkFolder.create()) {
            for (Bench bench : benches) {
                Path own = Files.createDirectories(folder.path().resolve(bench.name()));
                measured.add(bench.measure(new Bench.Run(quick, own, progress)));
            }
        } catch (IOException e) {
            throw CliException.environment("the measurement stopped: " + e.getMessage());
        }
        return measured;
    }

    private void write(Path folder, Figures figures, String commit) {
        try {
            Report.write(folder, figures, quick, commit);
        } catch (IOException e) {
            throw CliException.environment("cannot write into " + folder + " (" + e.getMessage()
                    + "); give --out a folder that can be written");
        }
    }
}
