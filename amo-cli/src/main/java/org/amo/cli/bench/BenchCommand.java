package org.amo.cli.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.amo.benchmarks.Bench;
import org.amo.benchmarks.Benches;
import org.amo.benchmarks.jmh.JmhBench;
import org.amo.benchmarks.report.Figures;
import org.amo.benchmarks.report.FiguresJson;
import org.amo.benchmarks.report.Machine;
import org.amo.benchmarks.report.Report;
import org.amo.cli.CliException;
import org.amo.cli.ExitCodes;
import org.amo.cli.HelpOption;
import org.amo.cli.JsonOutput;
import org.amo.cli.Terminal;
import org.amo.cli.demo.Commit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code amo bench}: figures, always as ratios measured side by side in one run. */
@Command(
        name = "bench",
        description = "Measure, both sides of every ratio in one run: fts (replicated calls, SACK on and off, against plain"
                + " JacORB), cache (five ways to prune a reply cache), order (the log and its peers), jmh (stores, codecs,"
                + " decisions), or all. Ends with 1 when a bar is missed.",
        sortOptions = false)
public final class BenchCommand implements Callable<Integer> {
    private static final String JMH = "jmh";
    private static final String ALL = "all";

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(arity = "0..1", paramLabel = "NAME", description = "What to measure.")
    private Optional<String> name = Optional.empty();

    @Option(names = "--quick", description = "At most 180 s each on two cores. Default: as long as the figures need.")
    private boolean quick;

    @Option(
            names = "--include",
            paramLabel = "REGEX",
            description = "With jmh: the benchmarks whose name contains a match. Default: all.")
    private Optional<String> include = Optional.empty();

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

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public Integer call() throws IOException, InterruptedException {
        String wanted = name.orElseThrow(() -> CliException.user("bench needs a name; there are " + names()));
        if (include.isPresent() && !wanted.equals(JMH)) {
            throw CliException.user("--include goes with jmh only; write ./amo bench jmh --include REGEX");
        }
        if (!names().contains(wanted)) {
            throw CliException.user("no benchmark '" + wanted + "'; there are " + names());
        }
        Path folder = Files.createTempDirectory("amo-bench");
        try {
            return wanted.equals(JMH) ? jmh(folder) : benches(wanted, folder);
        } catch (IOException e) {
            throw CliException.environment("the measurement stopped: " + e.getMessage());
        } finally {
            delete(folder);
        }
    }

    private int jmh(Path folder) throws IOException {
        include.ifPresent(BenchCommand::requireRegex);
        Path results = folder.resolve("jmh.json");
        try {
            JmhBench.run(include, quick, results, folder.resolve("jmh.log"));
        } catch (IllegalArgumentException e) {
            throw CliException.user(String.valueOf(e.getMessage()));
        } catch (IllegalStateException e) {
            throw CliException.environment(String.valueOf(e.getMessage()));
        }
        JsonNode measured = new ObjectMapper().readTree(results.toFile());
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("bench", JMH);
        object.set("machine", Machine.json());
        ObjectNode settings = object.putObject("settings");
        settings.put("quick", quick);
        settings.put("commit", Commit.hash());
        object.set("results", measured);
        if (!quiet()) {
            PrintWriter console = spec.commandLine().getOut();
            for (JsonNode result : measured) {
                JsonNode primary = result.path("primaryMetric");
                JsonNode bytes = result.path("secondaryMetrics").path("gc.alloc.rate.norm");
                console.printf(
                        Locale.ROOT,
                        "%-60s %12.1f %s  %,.0f B allocated%n",
                        result.path("benchmark").asText().replace("org.amo.benchmarks.jmh.", ""),
                        primary.path("score").asDouble(),
                        primary.path("scoreUnit").asText(),
                        bytes.path("score").asDouble());
            }
        }
        if (out.isPresent()) {
            Report.writeJmh(out.get(), measured, object, Commit.hash());
        }
        json.ifPresent(file -> JsonOutput.write(file, object, spec.commandLine().getOut()));
        return ExitCodes.OK;
    }

    private int benches(String wanted, Path folder) throws IOException, InterruptedException {
        List<Figures> measured = new ArrayList<>();
        Consumer<String> progress = Terminal.progress(spec.commandLine().getErr());
        for (Bench bench : Benches.all()) {
            if (wanted.equals(ALL) || bench.name().equals(wanted)) {
                Path own = Files.createDirectories(folder.resolve(bench.name()));
                measured.add(bench.measure(new Bench.Run(quick, own, progress)));
            }
        }
        String commit = Commit.hash();
        if (out.isPresent()) {
            for (Figures figures : measured) {
                Report.write(out.get(), figures, quick, commit);
            }
        }
        if (!quiet()) {
            measured.forEach(figures -> Report.print(figures, spec.commandLine().getOut()));
        } else {
            measured.forEach(figures -> Report.printMisses(figures, spec.commandLine().getErr()));
        }
        if (json.isPresent()) {
            ObjectNode all = JsonNodeFactory.instance.objectNode();
            for (Figures figures : measured) {
                all.set(figures.bench(), FiguresJson.of(figures, quick, commit));
            }
            JsonOutput.write(
                    json.get(),
                    wanted.equals(ALL) ? all : all.path(wanted),
                    spec.commandLine().getOut());
        }
        boolean good = measured.stream()
                .allMatch(figures -> figures.violations().isEmpty()
                        && figures.bars().stream().allMatch(Figures.Bar::reached));
        return good ? ExitCodes.OK : ExitCodes.CHECK_FAILED;
    }

    private boolean quiet() {
        return json.filter("-"::equals).isPresent();
    }

    private static List<String> names() {
        return Stream.concat(Benches.all().stream().map(Bench::name), Stream.of(JMH, ALL))
                .toList();
    }

    private static void requireRegex(String text) {
        try {
            java.util.regex.Pattern.compile(text);
        } catch (java.util.regex.PatternSyntaxException e) {
            throw CliException.user("--include " + text + " is no regular expression: " + e.getDescription());
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> paths = Files.walk(folder)) {
            for (Path path : paths.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }
}
