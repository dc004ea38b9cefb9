package org.amo.observe;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.amo.base.observe.Observed;
import org.amo.base.observe.Reading;

/** Writes readings in the two text formats that Prometheus and its kin read. */
final class PrometheusText {
    private static final String TOTAL = "_total";

    private PrometheusText() {}

    /** The formats. */
    enum Format {
        /** Prometheus' own, version 0.0.4, which every reader takes. */
        TEXT("text/plain; version=0.0.4; charset=utf-8"),
        /** OpenMetrics 1.0: a counter's family has the name without {@code _total}, and the text an end. */
        OPEN_METRICS("application/openmetrics-text; version=1.0.0; charset=utf-8");

        private final String contentType;

        Format(String contentType) {
            this.contentType = contentType;
        }

        String contentType() {
            return contentType;
        }
    }

    /** The format for a request with this header Accept; empty for a request without one. */
    static Format accepted(String accept) {
        return Arrays.stream(accept.toLowerCase(Locale.ROOT).split(",", -1)).anyMatch(PrometheusText::takesOpenMetrics)
                ? Format.OPEN_METRICS
                : Format.TEXT;
    }

    private static boolean takesOpenMetrics(String range) {
        List<String> parts =
                Arrays.stream(range.split(";", -1)).map(String::strip).toList();
        return parts.get(0).equals("application/openmetrics-text")
                && parts.stream().noneMatch(part -> part.matches("q=0(\\.0*)?"));
    }

    /** All readings, each family in one piece and with one head. Of two with the same labels a reader takes none, so it gets the first. */
    static String write(List<Observed> all, Format format) {
        Map<String, Map<String, Reading>> families = new LinkedHashMap<>();
        for (Observed observed : all) {
            for (Reading reading : observed.readings()) {
                families.computeIfAbsent(reading.metric(), name -> new LinkedHashMap<>())
                        .putIfAbsent(reading.name() + labels(observed, reading), reading);
            }
        }
        StringBuilder text = new StringBuilder();
        for (Map<String, Reading> family : families.values()) {
            head(text, family.values().iterator().next(), format);
            family.forEach((series, reading) -> text.append(series)
                    .append(' ')
                    .append(number(reading.value()))
                    .append('\n'));
        }
        return text.append(format == Format.OPEN_METRICS ? "# EOF\n" : "").toString();
    }

    private static void head(StringBuilder text, Reading first, Format format) {
        boolean open = format == Format.OPEN_METRICS;
        String name = first.metric();
        String family =
                open && first.type() == Reading.Type.COUNTER ? name.substring(0, name.length() - TOTAL.length()) : name;
        text.append("# HELP ").append(family).append(' ');
        // Only OpenMetrics escapes a quotation mark there.
        text.append(escaped(first.help(), open)).append('\n');
        text.append("# TYPE ").append(family).append(' ');
        text.append(first.type().name().toLowerCase(Locale.ROOT)).append('\n');
    }

    /** An empty label is the same as none. */
    private static String labels(Observed observed, Reading reading) {
        Map<String, String> labels = new LinkedHashMap<>();
        labels.put("group", observed.group());
        labels.put("id", observed.id());
        labels.putAll(reading.labels());
        labels.values().removeIf(String::isEmpty);
        return labels.entrySet().stream()
                .map(label -> label.getKey() + "=\"" + escaped(label.getValue(), true) + "\"")
                .collect(Collectors.joining(",", "{", "}"));
    }

    private static String escaped(String text, boolean quotes) {
        String line = text.replace("\\", "\\\\").replace("\n", "\\n");
        return quotes ? line.replace("\"", "\\\"") : line;
    }

    private static String number(Number value) {
        double rounded = value.doubleValue();
        if (Double.isInfinite(rounded)) {
            return rounded > 0 ? "+Inf" : "-Inf";
        }
        return value.toString();
    }
}
