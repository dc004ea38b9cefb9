package org.amo.linearizable.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

/** Cluster time out of the times of a log (rows R13 and R18). */
final class OrderedClockTest {
    private static final long HOUR = 3_600_000;

    @Test
    void itCountsWhatTheLogCounts() {
        OrderedClock clock = new OrderedClock(100);
        assertEquals(0, clock.onOrdered(5_000).millis());
        assertEquals(60, clock.onOrdered(5_060).millis());
        assertEquals(160, clock.onOrdered(5_160).millis());
    }

    /** A majority's wall clocks are set, or the group was down: a lease loses one step and no more. */
    @Test
    void anHourThatTheLogJumpsIsOneStep() {
        OrderedClock clock = new OrderedClock(100);
        clock.onOrdered(5_000);
        assertEquals(100, clock.onOrdered(5_000 + HOUR).millis());
        assertEquals(110, clock.onOrdered(5_010 + HOUR).millis());
    }

    @Test
    void anEntryThatIsBehindTakesNothingBackAndIsNotCountedTwice() {
        OrderedClock clock = new OrderedClock(100);
        clock.onOrdered(5_000);
        clock.onOrdered(5_050);
        assertEquals(50, clock.onOrdered(4_000).millis());
        assertEquals(60, clock.onOrdered(5_060).millis());
    }

    @Test
    void aMemberThatStartsFromASnapshotCountsAlike() {
        OrderedClock clock = new OrderedClock(100);
        clock.onOrdered(5_000);
        clock.onOrdered(5_070);
        OrderedClock other = new OrderedClock(100, clock.now(), clock.lastMillis());
        assertEquals(clock.onOrdered(5_100), other.onOrdered(5_100));
        assertEquals(100, other.now().millis());
    }

    @Test
    void aStepIsPositive() {
        OrderedClock least = new OrderedClock(1);
        least.onOrdered(5_000);
        assertEquals(1, least.onOrdered(6_000).millis());
        assertThrows(IllegalArgumentException.class, () -> new OrderedClock(0));
    }
}
