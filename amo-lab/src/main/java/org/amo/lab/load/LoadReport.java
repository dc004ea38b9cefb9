package org.amo.lab.load;

import java.util.List;
import java.util.Map;

/**
 * The own records of one client process.
 *
 * @param defects calls that ended as none may: their threads make no other
 * @param histogram latencies of answered calls in microseconds, as HdrHistogram's compressed form in Base64
 * @param startNanos of the load, on the machine's monotonic clock
 * @param endNanos when its last call was answered
 * @param longestGapMicros for each tenth of a second from the start: the longest gap between two answered calls of
 *     one thread that ended in it
 * @param problems texts of exceptions, and how often
 */
public record LoadReport(
        String client,
        long calls,
        long ok,
        long failed,
        long unknown,
        long defects,
        List<AccountRecord> accounts,
        String histogram,
        long startNanos,
        long endNanos,
        List<Long> longestGapMicros,
        Map<String, Long> problems) {

    public static final long TICK_NANOS = 100_000_000L;

    /** The accounts of all these clients. */
    static List<AccountRecord> accountsOf(List<LoadReport> reports) {
        return reports.stream().flatMap(report -> report.accounts().stream()).toList();
    }
}
