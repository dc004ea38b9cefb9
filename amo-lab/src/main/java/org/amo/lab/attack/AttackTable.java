package org.amo.lab.attack;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.amo.cli.Durations;

/** The results for a person, a row as soon as it is known. */
final class AttackTable {
    private static final int MOST_REMARKS = 8;

    private final Optional<PrintWriter> out;

    /** @param out empty for no table */
    AttackTable(Optional<PrintWriter> out) {
        this.out = out;
    }

    void begin(AttackSettings settings, int attacks) {
        line(
                "%d attack%s of %s, members with a heap of %d MB, seed %d",
                attacks,
                attacks == 1 ? "" : "s",
                Durations.format(settings.durationMillis()),
                settings.heapBytes() >> 20,
                settings.seed());
        line(
                "%-23s %-11s %-5s %6s %6s %6s %-5s %6s  %s",
                "attack", "service", "alive", "heap %", "rate", "p99", "equal", "log", "");
    }

    void row(AttackResult result) {
        line(
                "%-23s %-11s %-5s %6.0f %6.2f %6.2f %-5s %,6d  %s",
                result.name(),
                result.service(),
                yes(result.alive()),
                result.heapPercent(),
                result.honestRateRatio(),
                result.honestP99Ratio(),
                yes(result.statesEqual()),
                result.logLines(),
                verdict(result));
        if (!result.passed()) {
            result.remarks().stream().limit(MOST_REMARKS).forEach(remark -> line("  ! %s", remark));
        }
    }

    void end(AttackReport report) {
        names("failed after others and ran again alone", report.ranAlone());
        names("failed in the earlier result", report.failedEarlier());
        line(
                "%s: %d of %d attacks passed",
                report.failed() == 0 ? "PASSED" : "FAILED", report.passed(), report.passed() + report.failed());
    }

    private static String verdict(AttackResult result) {
        if (result.passed()) {
            return "passed";
        }
        return (result.isExcused() ? "failed after others" : "FAILED") + (result.isRunAgain() ? ", again alone:" : "");
    }

    private void names(String what, List<String> names) {
        if (!names.isEmpty()) {
            line("%s: %s", what, String.join(", ", names));
        }
    }

    private static String yes(boolean value) {
        return value ? "yes" : "NO";
    }

    private void line(String format, Object... values) {
        out.ifPresent(writer -> {
            writer.println(String.format(Locale.ROOT, format, values));
            writer.flush();
        });
    }
}
