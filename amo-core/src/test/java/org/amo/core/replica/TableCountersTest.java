package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** Each counter of the decision table, and the entries that would be there if only timeouts freed them. */
final class TableCountersTest {
    private final TableCounters counters = new TableCounters();

    @Test
    void decisionsAreCountedByTheirKind() {
        counters.decided(Decision.EXECUTE);
        counters.decided(Decision.STALE);
        counters.decided(Decision.STALE);
        assertEquals(2, counters.count(Decision.STALE));
        assertEquals(1, counters.count(Decision.EXECUTE));
        assertEquals(0, counters.count(Decision.LIVE));
        assertEquals(Map.of(Decision.EXECUTE, 1L, Decision.STALE, 2L), counters.decisions());
    }

    @Test
    void anAcceptedRequestCountsUntilItsTimeIsUpAlsoIfItsEntryWasFreedBefore() {
        counters.accepted(5_000);
        counters.accepted(5_000);
        counters.accepted(7_000);
        counters.purgedBySack(3);
        assertEquals(3, counters.timeoutOnlyEntries());
        counters.advanced(5_000);
        assertEquals(3, counters.timeoutOnlyEntries(), "not before its time");
        counters.advanced(5_100);
        assertEquals(1, counters.timeoutOnlyEntries());
        counters.advanced(7_100);
        assertEquals(0, counters.timeoutOnlyEntries());
    }

    @Test
    void thePeakOfThoseStays() {
        counters.accepted(5_000);
        counters.accepted(5_000);
        counters.advanced(6_000);
        counters.accepted(7_000);
        assertEquals(2, counters.timeoutOnlyPeak());
        counters.accepted(7_000);
        counters.accepted(7_000);
        assertEquals(3, counters.timeoutOnlyPeak());
    }

    /** The times at which entries would expire are kept by tenths of a second, from any time on. */
    @Test
    void timesAreKeptByTenthsOfASecond() {
        counters.accepted(5_001);
        counters.accepted(5_099);
        counters.advanced(5_099);
        assertEquals(2, counters.timeoutOnlyEntries());
        counters.advanced(5_100);
        assertEquals(0, counters.timeoutOnlyEntries());
    }

    @Test
    void freedEntriesAreCountedByTheirReason() {
        counters.purgedBySack(2);
        counters.purgedBySack(1);
        counters.purgedByTimeout(4);
        counters.purgedByTimeout(3);
        assertEquals(3, counters.purgedBySack());
        assertEquals(7, counters.purgedByTimeout());
    }

    @Test
    void theLargestNumbersStay() {
        counters.sized(3, 100);
        counters.sized(2, 400);
        assertEquals(3, counters.entriesPeak());
        assertEquals(400, counters.bytesPeak());
    }
}
