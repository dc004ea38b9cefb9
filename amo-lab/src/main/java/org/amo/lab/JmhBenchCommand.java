package org.amo.lab;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.amo.benchmarks.figures.ComparisonReport;
import org.amo.benchmarks.figures.Figures;
import org.amo.benchmarks.jmh.JmhBench;
import org.amo.cli.CliException;
import org.amo.cli.Commit;
import org.amo.cli.ExitCodes;
import org.amo.cli.HelpOption;
import org.amo.lab.cluster.WorkFolder;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code amo bench jmh}. */
@Command(
        name = "jmh",
        description =
                "The JMH benchmarks: reply stores (heap, chronicle, map), SACK, decisions, codecs, clocks, with the"
                        + " bytes that each operation allocates.",
        sortOptions = false)
final class JmhBenchCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--include",
            paramLabel = "REGEX",
            description = "Run the benchmarks with a match in their names. Default: all.")
    private Optional<String> include = Optional.empty();

    @Mixin
    final BenchOptions options = new BenchOptions();

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public Integer call() throws IOException {
        options.json.check();
        include.ifPresent(JmhBenchCommand::requireRegex);
        return report(measure());
    }

    /**
     * Prints and writes the results. A bar that is missed is a check that failed.
     *
     * @param measured JMH's JSON
     */
    int report(JsonNode measured) {
        Figures figures = JmhBench.figures(measured);
        ObjectNode object = figures.json(options.quick, Commit.hash());
        object.set("results", measured);
        CommandLine command = spec.commandLine();
        if (options.json.isStandardOutput()) {
            ComparisonReport.printMisses(figures, command.getErr());
        } else {
            print(measured, command.getOut());
            ComparisonReport.print(figures, command.getOut());
        }
        options.toFolder(folder -> ComparisonReport.writeJmh(folder, measured, figures, object, Commit.hash()));
        options.json.write(object, command.getOut());
        return figures.good() ? ExitCodes.OK : ExitCodes.CHECK_FAILED;
    }

    private JsonNode measure() throws IOException {
        WorkFolder folder = WorkFolder.create("bench");
        Path results = folder.file("jmh.json");
        try {
            JmhBench.run(include, options.quick, results, folder.file("jmh.log"));
        } catch (IllegalArgumentException e) {
            folder.delete();
            throw CliException.user(String.valueOf(e.getMessage()));
        } catch (IllegalStateException e) {
            throw CliException.environment(String.valueOf(e.getMessage()));
        }
        JsonNode measured = new ObjectMapper().readTree(results.toFile());
        folder.delete();
        return measured;
    }

    private static void print(JsonNode measured, PrintWriter console) {
        for (JsonNode result : measured) {
            JsonNode primary = result.path("primaryMetric");
            JsonNode bytes = result.path("secondaryMetrics").path("gc.alloc.rate.norm");
            console.printf(
                    Locale.ROOT,
                    "%-46s %12.1f %s %,10.0f B allocated%n",
                    result.path("benchmark").asText().replace("org.amo.benchmarks.jmh.", ""),
                    primary.path("score").asDouble(),
                    primary.path("scoreUnit").asText(),
                    bytes.path("score").asDouble());
        }
        console.flush();
    }

    private static void requireRegex(String text) {
        try {
            Pattern.compile(text);
        } catch (PatternSyntaxException e) {
            throw CliException.user("--include " + text + " is no regular expression: " + e.getDescription());
        }
    }
}
