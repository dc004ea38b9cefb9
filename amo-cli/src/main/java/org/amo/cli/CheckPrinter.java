package org.amo.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.amo.determinism.check.Finding;
import org.amo.determinism.check.ScanResult;

/** The result of a scan as a table. */
final class CheckPrinter {
    /** The JSON has all of them. */
    private static final int MOST_LIMITS = 20;

    private CheckPrinter() {}

    static void print(ScanResult result, PrintWriter out) {
        List<Finding> left = result.leftByAgent();
        List<Finding> covered =
                result.findings().stream().filter(Finding::deterministic).toList();
        int place = result.findings().stream()
                .mapToInt(finding -> place(finding).length())
                .max()
                .orElse(0);
        table("Deterministic under the agent", covered, place, out);
        table("To be changed, or to be accepted", left, place, out);
        if (!result.limits().isEmpty()) {
            out.println("Limits of this scan");
            result.limits().stream().limit(MOST_LIMITS).forEach(limit -> out.println("  " + limit));
            if (result.limits().size() > MOST_LIMITS) {
                out.println("  and " + (result.limits().size() - MOST_LIMITS) + " more; --json has all");
            }
            out.println();
        }
        out.println("findings " + result.findings().size() + " (" + covered.size()
                + " deterministic under the agent), accepted " + result.accepted() + "; operations "
                + result.operations().size() + ", methods reached " + result.methods());
        out.flush();
    }

    private static void table(String title, List<Finding> findings, int width, PrintWriter out) {
        if (findings.isEmpty()) {
            return;
        }
        out.println(title);
        Map<String, List<Finding>> groups = findings.stream()
                .collect(Collectors.groupingBy(
                        finding -> finding.kind().word(), LinkedHashMap::new, Collectors.toCollection(ArrayList::new)));
        groups.forEach((kind, group) -> {
            out.println("  " + kind);
            for (Finding finding : group) {
                out.println("    " + place(finding)
                        + " ".repeat(width - place(finding).length()) + "  " + String.join(" > ", finding.path()));
            }
            group.stream().map(Finding::advice).distinct().forEach(advice -> out.println("    instead: " + advice));
        });
        out.println();
    }

    private static String place(Finding finding) {
        return finding.type() + "." + finding.method() + ":" + (finding.line() == 0 ? "?" : finding.line());
    }
}
