package org.amo.lab.chaos;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.stream.Collectors;

/** A run's result for a person. */
final class ChaosPrinter {
    private static final int MOST_REMARKS = 15;

    private ChaosPrinter() {}

    static void print(ChaosResult result, PrintWriter out) {
        line(
                out,
                "%d replicas, %.0f s, order %s, log %s, seed %d%s",
                result.replicas(),
                result.duration(),
                result.order(),
                result.log(),
                result.seed(),
                result.plant().isEmpty() ? "" : ", PLANTED BUG " + result.plant());
        line(
                out,
                "faults          %s",
                result.faults().entrySet().stream()
                        .map(entry -> entry.getKey() + " " + entry.getValue())
                        .collect(Collectors.joining(", ")));
        line(
                out,
                "calls           %,d: %,d ok, %,d failed, %,d unknown (%.2f %%)",
                result.calls(),
                result.ok(),
                result.failed(),
                result.unknown(),
                result.unknownPercent());
        line(out, "executed twice  %,d", result.executedTwice());
        line(out, "lost            %,d", result.lost());
        line(out, "longest gap     %,.0f ms without an answer for a client", result.longestGapMillis());
        line(out, "elections       %,d changes of the leader", result.elections());
        if (result.diverged() > 0) {
            line(out, "diverged        %,d members", result.diverged());
        }
        if (result.repaired() > 0) {
            line(out, "repaired        %,d damaged places on disks", result.repaired());
        }
        result.report().lines().forEach(text -> line(out, "%s", text));
        result.remarks().stream().limit(MOST_REMARKS).forEach(remark -> line(out, "! %s", remark));
        if (result.remarks().size() > MOST_REMARKS) {
            line(out, "! and %d more like these", result.remarks().size() - MOST_REMARKS);
        }
        line(
                out,
                "%s",
                result.passed()
                        ? "PASSED: no rule was broken"
                        : "FAILED: " + result.violations() + " violations with seed " + result.seed());
        out.flush();
    }

    private static void line(PrintWriter out, String format, Object... values) {
        out.println(String.format(Locale.ROOT, format, values));
    }
}
