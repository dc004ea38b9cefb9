package org.amo.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Writes a report as CSV, a plot and a page of Markdown. */
public final class ReportFiles {
    private static final int BAR_HEIGHT = 22;
    private static final int LABEL_WIDTH = 330;
    private static final int PLOT_WIDTH = 420;

    private ReportFiles() {}

    /** Into a folder, which is made: BENCH.csv, BENCH.svg (the first metric of each row), BENCH.md. */
    public static void write(BenchReport report, Path folder) throws IOException {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve(report.bench() + ".csv"), csv(report));
        Files.writeString(folder.resolve(report.bench() + ".svg"), svg(report));
        Files.writeString(folder.resolve(report.bench() + ".md"), markdown(report));
    }

    private static String csv(BenchReport report) {
        StringBuilder out = new StringBuilder("row,settings,metric,value\n");
        for (BenchRow row : report.rows()) {
            row.metrics().forEach((name, value) -> out.append(quoted(row.name()))
                    .append(',')
                    .append(quoted(row.settings().toString()))
                    .append(',')
                    .append(name)
                    .append(',')
                    .append(number(value))
                    .append('\n'));
        }
        return out.toString();
    }

    private static String quoted(String text) {
        return '"' + text.replace("\"", "\"\"") + '"';
    }

    private static String markdown(BenchReport report) {
        StringBuilder out = new StringBuilder("# bench " + report.bench() + "\n\n");
        report.settings()
                .forEach((name, value) ->
                        out.append("- ").append(name).append(": ").append(value).append('\n'));
        out.append("\n| ratio | value |\n|---|---|\n");
        for (String line : ratioLines("", report.ratios())) {
            out.append(line).append('\n');
        }
        out.append("\n| row | settings | metrics |\n|---|---|---|\n");
        for (BenchRow row : report.rows()) {
            List<String> metrics = new ArrayList<>();
            row.metrics().forEach((name, value) -> metrics.add(name + " " + number(value)));
            out.append("| ")
                    .append(row.name())
                    .append(" | ")
                    .append(row.settings())
                    .append(" | ")
                    .append(String.join(", ", metrics))
                    .append(" |\n");
        }
        out.append("\n![rows](").append(report.bench()).append(".svg)\n\n");
        report.remarks().forEach(remark -> out.append(remark).append("\n\n"));
        return out.toString();
    }

    private static List<String> ratioLines(String prefix, Map<?, ?> ratios) {
        List<String> lines = new ArrayList<>();
        ratios.forEach((name, value) -> {
            if (value instanceof Map<?, ?> inner) {
                lines.addAll(ratioLines(prefix + name + ".", inner));
            } else {
                lines.add("| " + prefix + name + " | " + number(((Number) value).doubleValue()) + " |");
            }
        });
        return lines;
    }

    private static String svg(BenchReport report) {
        // Rows of one metric are drawn on one scale.
        StringBuilder out = new StringBuilder();
        int y = 10;
        for (BenchRow row : report.rows()) {
            if (row.metrics().isEmpty()) {
                continue;
            }
            Map.Entry<String, Double> first =
                    row.metrics().entrySet().iterator().next();
            double most = report.rows().stream()
                    .mapToDouble(other -> other.metrics().getOrDefault(first.getKey(), 0.0))
                    .max()
                    .orElse(1);
            int width = (int) (PLOT_WIDTH * first.getValue() / Math.max(most, 1e-9));
            String label = escaped(row.name() + " " + (row.settings().isEmpty() ? "" : row.settings()));
            out.append(String.format(
                    Locale.ROOT,
                    "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\""
                            + " fill=\"#4878a8\"/><text x=\"%d\" y=\"%d\">%s %s</text>%n",
                    LABEL_WIDTH - 6,
                    y + 14,
                    label,
                    LABEL_WIDTH,
                    y,
                    width,
                    BAR_HEIGHT - 6,
                    LABEL_WIDTH + width + 6,
                    y + 14,
                    number(first.getValue()),
                    first.getKey()));
            y += BAR_HEIGHT;
        }
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + (LABEL_WIDTH + PLOT_WIDTH + 260) + "\" height=\""
                + (y + 10) + "\" font-family=\"sans-serif\" font-size=\"12\">\n" + out + "</svg>\n";
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, Math.abs(value) >= 100 ? "%.0f" : "%.3f", value);
    }
}
