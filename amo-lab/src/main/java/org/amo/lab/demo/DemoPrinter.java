package org.amo.lab.demo;

import java.io.PrintWriter;
import java.util.Locale;
import org.amo.cli.Durations;

/** The demo's result for a person. */
final class DemoPrinter {
    private static final int MOST_REMARKS = 10;

    private DemoPrinter() {}

    static void print(DemoSettings settings, DemoResult result, PrintWriter out) {
        line(
                out,
                "%d replicas, %d clients with %d threads, %s, order %s, log %s, seed %d",
                settings.replicas(),
                settings.clients(),
                settings.threads(),
                Durations.format(settings.durationMillis()),
                word(settings.order()),
                word(settings.log()),
                result.seed());
        line(
                out,
                "calls           %,d: %,d ok, %,d failed, %,d unknown; %,.0f a second",
                result.calls(),
                result.ok(),
                result.failed(),
                result.unknown(),
                result.throughputPerSecond());
        line(out, "executed twice  %,d", result.executedTwice());
        line(out, "lost            %,d", result.lost());
        line(out, "duplicates      %,d attempts were answered from a cached reply", result.duplicatesSuppressed());
        line(
                out,
                "latency         p50 %,d us, p99 %,d us, max %,d us",
                result.latencyMicros().p50(),
                result.latencyMicros().p99(),
                result.latencyMicros().max());
        line(
                out,
                "%s  %,.0f ms was the longest time that a client thread had no answer",
                settings.kill() == DemoSettings.Kill.NONE ? "longest gap   " : "fail-over     ",
                result.failoverMillisMax());
        line(
                out,
                "reply cache     %,d entries at the peak; by time-out alone it would have been %,d",
                result.cache().entriesPeak(),
                result.cache().timeoutOnlyEntriesComputed());
        line(
                out,
                "acknowledgments %.2f %% of the log's entries, %.2f %% of its bytes",
                result.sack().shareOfEntriesPercent(),
                result.sack().shareOfBytesPercent());
        for (DemoResult.ReplicaResult replica : result.replicas()) {
            String fate = !replica.killed() ? "" : replica.restarted() ? ", killed and restarted" : ", killed";
            line(
                    out,
                    "replica %-7s executed %,d, position %,d, digest %s%s",
                    replica.id(),
                    replica.executed(),
                    replica.position(),
                    replica.digest(),
                    fate);
        }
        result.remarks().stream().limit(MOST_REMARKS).forEach(remark -> line(out, "! %s", remark));
        if (result.remarks().size() > MOST_REMARKS) {
            line(out, "! and %d more like these", result.remarks().size() - MOST_REMARKS);
        }
        line(out, "%s", verdict(result));
        out.flush();
    }

    private static String verdict(DemoResult result) {
        if (result.passed()) {
            return "PASSED: every call was executed exactly once, and the replicas are equal";
        }
        return "FAILED: executed twice " + result.executedTwice() + ", lost " + result.lost() + ", failed "
                + result.failed() + ", unknown " + result.unknown()
                + (result.ok() > 0 ? "" : ", no call was answered")
                + (result.statesEqual() ? "" : ", the replicas are not equal");
    }

    static void print(RetryStormResult result, PrintWriter out) {
        line(
                out,
                "%,d calls of each kind, %,d answers lost on the way, seed %d",
                result.calls(),
                result.lostAnswers(),
                result.seed());
        print("plain client", result.plain(), out);
        print("amo client", result.amo(), out);
        line(out, "duplicates    %,d attempts were answered from a record", result.duplicatesSuppressed());
    }

    private static void print(String kind, RetryStormResult.Side side, PrintWriter out) {
        line(
                out,
                "%-12s  %.0f effects for each call: %,d calls, %,d answered, %,d executed twice, %,d lost",
                kind,
                (double) side.effects() / side.calls(),
                side.calls(),
                side.ok(),
                side.executedTwice(),
                side.lost());
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private static void line(PrintWriter out, String format, Object... values) {
        out.println(String.format(Locale.ROOT, format, values));
    }
}
