package org.amo.cli.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.amo.benchmarks.report.BenchReport;
import org.amo.benchmarks.report.BenchRow;
import org.amo.benchmarks.report.ReportFiles;
import org.amo.cli.CliException;
import org.amo.cli.Commit;
import org.amo.cli.ExitCodes;
import org.amo.cli.JsonOutput;
import org.amo.cli.Terminal;
import picocli.CommandLine.Option;

/** The options that all benchmarks share, and what they print. */
final class BenchOutput {
    @Option(names = "--quick", description = "End within three minutes on two cores. Default: measure for longer.")
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
            description = "Write CSV, an SVG plot and a Markdown page into this folder. Default: none.")
    private Optional<Path> out = Optional.empty();

    /** One benchmark. */
    @FunctionalInterface
    interface Bench {
        BenchReport run(boolean quick, Consumer<String> progress) throws Exception;
    }

    int run(Bench bench, PrintWriter standardOutput, PrintWriter standardError) {
        BenchReport report;
        try {
            report = bench.run(quick, Terminal.progress(standardError));
        } catch (IOException e) {
            throw CliException.environment("the benchmark has no socket or file that it needs: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CliException.environment("interrupted");
        } catch (Exception e) {
            throw new IllegalStateException("the benchmark failed", e);
        }
        if (json.filter("-"::equals).isEmpty()) {
            print(report, standardOutput);
        }
        json.ifPresent(file -> JsonOutput.write(file, object(report), standardOutput));
        out.ifPresent(folder -> {
            try {
                ReportFiles.write(report, folder);
            } catch (IOException e) {
                throw CliException.environment("cannot write into " + folder + " (" + e.getMessage()
                        + "); give --out a folder that can be written");
            }
        });
        return ExitCodes.OK;
    }

    private static void print(BenchReport report, PrintWriter out) {
        for (BenchRow row : report.rows()) {
            StringBuilder line =
                    new StringBuilder(String.format(Locale.ROOT, "%-34s %-50s", row.name(), row.settings()));
            row.metrics().forEach((name, value) -> line.append(String.format(Locale.ROOT, " %s %.3f", name, value)));
            out.println(line);
        }
        printRatios("", report.ratios(), out);
        report.remarks().forEach(out::println);
    }

    private static void printRatios(String prefix, Map<?, ?> ratios, PrintWriter out) {
        ratios.forEach((name, value) -> {
            if (value instanceof Map<?, ?> inner) {
                printRatios(prefix + name + ".", inner, out);
            } else {
                out.printf(Locale.ROOT, "ratio %s %.3f%n", prefix + name, ((Number) value).doubleValue());
            }
        });
    }

    private static ObjectNode object(BenchReport report) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("bench", report.bench());
        ObjectNode machine = object.putObject("machine");
        machine.put("cores", Runtime.getRuntime().availableProcessors());
        machine.put("kernel", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        machine.put("jdk", System.getProperty("java.vm.version"));
        put(object.putObject("settings"), report.settings());
        ArrayNode rows = object.putArray("rows");
        for (BenchRow row : report.rows()) {
            ObjectNode each = rows.addObject();
            each.put("name", row.name());
            put(each.putObject("settings"), row.settings());
            put(each.putObject("metrics"), row.metrics());
        }
        put(object.putObject("ratios"), report.ratios());
        report.remarks().forEach(object.putArray("remarks")::add);
        object.put("commit", Commit.hash());
        return object;
    }

    private static void put(ObjectNode object, Map<String, ?> values) {
        values.forEach((name, value) -> putOne(object, name, value));
    }

    private static void putOne(ObjectNode object, String name, Object value) {
        if (value instanceof Map<?, ?> inner) {
            ObjectNode nested = object.putObject(name);
            inner.forEach((innerName, innerValue) -> putOne(nested, String.valueOf(innerName), innerValue));
        } else {
            object.putPOJO(name, value);
        }
    }
}
