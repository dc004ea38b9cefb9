package org.amo.lab;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Figures of a simulation by the kind of world that a seed was: {@code dpg} and {@code fts} have them. */
final class SimRows {
    private SimRows() {}

    static void print(Map<String, Map<String, Long>> rows, double seconds, PrintWriter out) {
        rows.forEach((name, counts) -> out.println("  " + name + ": " + (isDpg(counts) ? dpg(counts) : plain(counts))));
        if (rows.values().stream().anyMatch(SimRows::isDpg)) {
            out.printf(Locale.ROOT, "  %.1f simulated seconds a second%n", simulatedSeconds(rows) / seconds);
        }
    }

    static void put(Map<String, Map<String, Long>> rows, double seconds, ObjectNode object) {
        if (rows.isEmpty()) {
            return;
        }
        if (rows.values().stream().anyMatch(SimRows::isDpg)) {
            object.put("simulatedSecondsPerSecond", Math.round(simulatedSeconds(rows) / seconds * 10) / 10.0);
        }
        var array = object.putArray("rows");
        rows.forEach((name, counts) -> {
            ObjectNode row = array.addObject();
            row.put("name", name);
            counts.forEach(row::put);
            if (isDpg(counts)) {
                row.put("violationsPerMillion", perMillion(counts, "outOfPlace"));
                row.put("unheardPerMillion", perMillion(counts, "unheard"));
                row.put("reportSharePercent", reportSharePercent(counts));
            }
        });
    }

    private static boolean isDpg(Map<String, Long> counts) {
        return counts.containsKey("deliveries");
    }

    private static String dpg(Map<String, Long> counts) {
        return String.format(
                Locale.ROOT,
                "%,d seeds, %,d deliveries, %.1f out of place and %.1f unheard per million, %,d of %,d contiguities false,"
                        + " %.0f %% report traffic",
                count(counts, "seeds"),
                count(counts, "deliveries"),
                perMillion(counts, "outOfPlace"),
                perMillion(counts, "unheard"),
                count(counts, "falseContiguities"),
                count(counts, "contiguities"),
                reportSharePercent(counts));
    }

    private static String plain(Map<String, Long> counts) {
        return counts.entrySet().stream()
                .map(each -> String.format(Locale.ROOT, "%,d %s", each.getValue(), each.getKey()))
                .collect(Collectors.joining(", "));
    }

    private static double simulatedSeconds(Map<String, Map<String, Long>> rows) {
        return rows.values().stream()
                        .mapToLong(counts -> count(counts, "simulatedMicros"))
                        .sum()
                / 1e6;
    }

    private static double perMillion(Map<String, Long> counts, String what) {
        return 1e6 * count(counts, what) / Math.max(1, count(counts, "deliveries"));
    }

    private static double reportSharePercent(Map<String, Long> counts) {
        long reports = count(counts, "reportBytes");
        return 100.0 * reports / Math.max(1, reports + count(counts, "messageBytes"));
    }

    private static long count(Map<String, Long> counts, String name) {
        return counts.getOrDefault(name, 0L);
    }
}
