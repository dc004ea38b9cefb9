package org.amo.core.replica;

import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;

/** Counts the events in a decision table since this process started. For the operator; no decision depends on them. */
final class TableCounters {
    private static final long BUCKET_MILLIS = 100;

    private final EnumMap<Decision, Long> decisions = new EnumMap<>(Decision.class);

    /** Accepted requests by the time at which they would expire without acknowledgement. */
    private final TreeMap<Long, Integer> unexpired = new TreeMap<>();

    private long timeoutOnlyEntries;
    private long timeoutOnlyPeak;
    private long entriesPeak;
    private long bytesPeak;
    private long purgedBySack;
    private long purgedByTimeout;

    void decided(Decision decision) {
        decisions.merge(decision, 1L, Long::sum);
    }

    void accepted(long expiresAtMillis) {
        unexpired.merge(expiresAtMillis / BUCKET_MILLIS, 1, Integer::sum);
        timeoutOnlyEntries++;
        timeoutOnlyPeak = Math.max(timeoutOnlyPeak, timeoutOnlyEntries);
    }

    void advanced(long orderedTimeMillis) {
        while (!unexpired.isEmpty() && unexpired.firstKey() < orderedTimeMillis / BUCKET_MILLIS) {
            timeoutOnlyEntries -= unexpired.pollFirstEntry().getValue();
        }
    }

    void sized(long entries, long bytes) {
        entriesPeak = Math.max(entriesPeak, entries);
        bytesPeak = Math.max(bytesPeak, bytes);
    }

    void purgedBySack(long count) {
        purgedBySack += count;
    }

    void purgedByTimeout(long count) {
        purgedByTimeout += count;
    }

    long count(Decision decision) {
        return decisions.getOrDefault(decision, 0L);
    }

    Map<Decision, Long> decisions() {
        return new EnumMap<>(decisions);
    }

    long timeoutOnlyEntries() {
        return timeoutOnlyEntries;
    }

    long timeoutOnlyPeak() {
        return timeoutOnlyPeak;
    }

    long entriesPeak() {
        return entriesPeak;
    }

    long bytesPeak() {
        return bytesPeak;
    }

    long purgedBySack() {
        return purgedBySack;
    }

    long purgedByTimeout() {
        return purgedByTimeout;
    }
}
