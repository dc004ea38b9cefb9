package org.amo.benchmarks.figures;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Figures for people: a page in Markdown, a table as CSV, a plot as SVG each, and a few lines on a terminal. */
public final class ComparisonReport {
    private ComparisonReport() {}

    /** Writes {@code BENCH.md}, {@code BENCH.csv} and the plots into a folder, which is made if need be. */
    public static void write(Path folder, Figures figures, boolean quick, String commit) throws IOException {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve(figures.bench() + ".csv"), csv(figures));
        Drawing.all(figures, folder);
        StringBuilder page = new StringBuilder();
        page.append("# ./amo bench ").append(figures.bench()).append("\n\n");
        head(page, "./amo bench " + figures.bench() + (quick ? " --quick" : "") + " --out DIR", commit);
        figures.settings().forEach((name, value) -> page.append("- ")
                .append(name)
                .append(": ")
                .append(value)
                .append('\n'));
        barsWithHead(page, figures);
        for (String violation : figures.violations()) {
            page.append("\n**").append(violation).append("**\n");
        }
        page.append("\n## Ratios\n\n| ratio | value |\n|---|---|\n");
        flat("", figures.ratios()).forEach((name, value) -> page.append("| %s | %s |%n".formatted(name, text(value))));
        page.append("\n## Rows\n\nMedian over the rounds, smallest and largest in brackets.\n\n");
        for (Figures.Row row : figures.rows()) {
            page.append("- **").append(row.name()).append("**");
            if (!row.settings().isEmpty()) {
                page.append(' ').append(row.settings());
            }
            page.append(": ");
            StringBuilder metrics = new StringBuilder();
            flat("", row.metrics()).forEach((name, value) -> metrics.append(metrics.isEmpty() ? "" : "; ")
                    .append(name)
                    .append(' ')
                    .append(text(value)));
            page.append(metrics).append('\n');
        }
        figures.remarks().forEach(remark -> page.append('\n').append(remark).append('\n'));
        if (!figures.plots().isEmpty() || !figures.columns().isEmpty()) {
            page.append("\n## Plots\n");
        }
        figures.plots().forEach(plot -> page.append("%n![%s](%s.svg)%n".formatted(plot.title(), plot.name())));
        figures.columns().forEach(plot -> page.append("%n![%s](%s.svg)%n".formatted(plot.title(), plot.name())));
        Files.writeString(folder.resolve(figures.bench() + ".md"), page);
    }

    /** Writes {@code bars.md}: whether each bar was reached, with links to the pages of the measurements. */
    public static void writeBars(Path folder, List<Figures> measured, boolean quick, String commit) throws IOException {
        Files.createDirectories(folder);
        StringBuilder page = new StringBuilder("# ./amo bench all\n\n");
        head(page, "./amo bench all" + (quick ? " --quick" : "") + " --out DIR", commit);
        page.append("\n| figure | measured | bar | |\n|---|---|---|---|\n");
        for (Figures figures : measured) {
            page.append("| [%s](%s.md) | | | |%n".formatted(figures.bench(), figures.bench()));
            bars(page, figures);
        }
        Files.writeString(folder.resolve("bars.md"), page);
    }

    private static void barsWithHead(StringBuilder page, Figures figures) {
        if (!figures.bars().isEmpty()) {
            page.append("\n## Bars\n\n| figure | measured | bar | |\n|---|---|---|---|\n");
        }
        bars(page, figures);
    }

    private static void bars(StringBuilder page, Figures figures) {
        for (Figures.Bar bar : figures.bars()) {
            page.append("| %s | %s | %s %s | %s |%n"
                    .formatted(
                            bar.what(),
                            number(bar.value()),
                            bar.sign(),
                            number(bar.bound()),
                            bar.reached() ? "reached" : "**not reached**"));
        }
    }

    /** Writes {@code jmh.md}, with the bars of {@code figures}, and JMH's own JSON. */
    public static void writeJmh(Path folder, JsonNode results, Figures figures, JsonNode whole, String commit)
            throws IOException {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("jmh.json"), whole.toPrettyString() + "\n");
        StringBuilder page = new StringBuilder("# ./amo bench jmh\n\n");
        head(page, "./amo bench jmh --out DIR", commit);
        barsWithHead(page, figures);
        page.append("\n| benchmark | ns | error | bytes allocated | bytes encoded |\n|---|---|---|---|---|\n");
        for (JsonNode result : results) {
            JsonNode primary = result.path("primaryMetric");
            JsonNode second = result.path("secondaryMetrics");
            page.append("| %s | %s | %s | %s | %s |%n"
                    .formatted(
                            result.path("benchmark").asText().replace("org.amo.benchmarks.jmh.", ""),
                            number(primary.path("score").asDouble()),
                            number(primary.path("scoreError").asDouble(Double.NaN)),
                            number(second.path("gc.alloc.rate.norm")
                                    .path("score")
                                    .asDouble()),
                            bytesEncoded(second)));
        }
        Files.writeString(folder.resolve("jmh.md"), page);
    }

    /** The figures in short. */
    public static void print(Figures figures, PrintWriter out) {
        for (Figures.Row row : figures.rows()) {
            out.print(row.name());
            flat("", row.metrics()).forEach((name, value) -> out.print("  " + name + " " + text(value)));
            out.println();
        }
        flat("", figures.ratios()).forEach((name, value) -> out.println(name + " " + text(value)));
        for (Figures.Bar bar : figures.bars()) {
            out.println((bar.reached() ? "reached      " : "NOT REACHED  ") + words(bar));
        }
        figures.violations().forEach(violation -> out.println("VIOLATION    " + violation));
        figures.remarks().forEach(out::println);
        out.flush();
    }

    /** Prints missed bars and violations only. */
    public static void printMisses(Figures figures, PrintWriter out) {
        figures.bars().stream()
                .filter(bar -> !bar.reached())
                .forEach(bar -> out.println("amo: bar missed: " + words(bar)));
        figures.violations().forEach(violation -> out.println("amo: " + violation));
        out.flush();
    }

    private static String words(Figures.Bar bar) {
        return bar.what() + ": " + number(bar.value()) + ", bar " + bar.sign() + " " + number(bar.bound());
    }

    private static void head(StringBuilder page, String command, String commit) {
        page.append("- command: `")
                .append(command)
                .append("`\n- commit: ")
                .append(commit)
                .append('\n');
        Machine.json().properties().forEach(entry -> page.append("- ")
                .append(entry.getKey())
                .append(": ")
                .append(entry.getValue().asText())
                .append('\n'));
        page.append("- versions: ")
                .append(Versions.onClassPath().entrySet().stream()
                        .map(entry -> entry.getKey() + " " + entry.getValue())
                        .collect(Collectors.joining(", ")))
                .append('\n');
    }

    private static String bytesEncoded(JsonNode secondaryMetrics) {
        JsonNode bytes = secondaryMetrics.path("bytes").path("score");
        return bytes.isMissingNode() ? "" : number(bytes.asDouble());
    }

    private static String csv(Figures figures) {
        Set<String> columns = new LinkedHashSet<>();
        for (Figures.Row row : figures.rows()) {
            columns.addAll(flat("", row.settings()).keySet());
            columns.addAll(spread(row.metrics()).keySet());
        }
        StringBuilder text = new StringBuilder("name");
        columns.forEach(column -> text.append(',').append(column));
        for (Figures.Row row : figures.rows()) {
            text.append('\n').append(row.name().replace(',', ';'));
            Map<String, Object> values = new TreeMap<>(flat("", row.settings()));
            values.putAll(spread(row.metrics()));
            columns.forEach(column -> text.append(',').append(values.getOrDefault(column, "")));
        }
        return text.append('\n').toString();
    }

    private static Map<String, Object> spread(Map<String, Object> metrics) {
        Map<String, Object> columns = new java.util.LinkedHashMap<>();
        flat("", metrics).forEach((name, value) -> {
            if (value instanceof Spread spread) {
                columns.put(name, spread.median());
                columns.put(name + "Least", spread.least());
                columns.put(name + "Most", spread.most());
            } else {
                columns.put(name, value);
            }
        });
        return columns;
    }

    private static Map<String, Object> flat(String prefix, Map<String, Object> tree) {
        Map<String, Object> flat = new java.util.LinkedHashMap<>();
        tree.forEach((name, value) -> {
            if (value instanceof Map<?, ?> map) {
                Map<String, Object> inner = new java.util.LinkedHashMap<>();
                map.forEach((key, each) -> inner.put(String.valueOf(key), each));
                flat.putAll(flat(prefix + name + ".", inner));
            } else {
                flat.put(prefix + name, value);
            }
        });
        return flat;
    }

    private static String text(Object value) {
        if (value instanceof Spread spread) {
            return number(spread.median())
                    + (spread.rounds() > 1 ? " [" + number(spread.least()) + " .. " + number(spread.most()) + "]" : "");
        }
        return value instanceof Number number ? number(number.doubleValue()) : String.valueOf(value);
    }

    private static String number(double value) {
        if (!Double.isFinite(value)) {
            return "not measured";
        }
        double rounded = FiguresJson.rounded(value);
        return rounded == Math.rint(rounded)
                ? String.format(Locale.ROOT, "%,d", (long) rounded)
                : Double.toString(rounded);
    }
}
