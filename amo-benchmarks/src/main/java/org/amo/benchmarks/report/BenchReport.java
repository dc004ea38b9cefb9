package org.amo.benchmarks.report;

import java.util.List;
import java.util.Map;

/**
 * The result of one benchmark.
 *
 * @param bench its name
 * @param settings what it was run with
 * @param rows what was measured
 * @param ratios by name; a value is a Double or again a map of such
 * @param remarks what a reader must know, such as what was left out and why
 */
public record BenchReport(
        String bench,
        Map<String, Object> settings,
        List<BenchRow> rows,
        Map<String, Object> ratios,
        List<String> remarks) {
    public BenchReport {
        rows = List.copyOf(rows);
        remarks = List.copyOf(remarks);
    }
}
