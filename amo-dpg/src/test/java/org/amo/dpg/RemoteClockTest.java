package org.amo.dpg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** The age of reports by the clocks of their sites, and how much faster those run. */
class RemoteClockTest {
    private static final long OFFSET = 5_000_000;
    private static final long WINDOW = 1_000_000;

    /** The least delayed report tells the clocks' difference; what exceeds it is delay. */
    @Test
    void aReportIsAsOldAsItIsMoreDelayedThanTheLeastDelayed() {
        RemoteClock clock = new RemoteClock(0);
        clock.onReport(OFFSET, 1_000);
        assertEquals(1_000, clock.issuedMicros());
        clock.onReport(OFFSET + 100, 1_300);
        assertEquals(1_100, clock.issuedMicros(), "200 late");
        clock.onReport(OFFSET + 400, 1_350);
        assertEquals(1_350, clock.issuedMicros(), "the way is shorter than it seemed");
        clock.onReport(OFFSET + 500, 1_600);
        assertEquals(1_450, clock.issuedMicros());
        assertFalse(clock.hasRate(), "none was wanted");
    }

    /** Clocks drift by up to one part in 1,000: a report whose site's clock is that slow is not old for that. */
    @Test
    void driftIsNotTakenForDelay() {
        RemoteClock clock = new RemoteClock(0);
        long theirs = OFFSET;
        clock.onReport(theirs, 0);
        for (long now = 10_000; now <= 10_000_000; now += 10_000) {
            theirs += 9_990;
            clock.onReport(theirs, now);
            assertTrue(now - clock.issuedMicros() <= 10, "at " + now + ": " + (now - clock.issuedMicros()));
        }
    }

    @Test
    void noReportIsFromTheFuture() {
        RemoteClock clock = new RemoteClock(0);
        clock.onReport(OFFSET, 0);
        clock.onReport(OFFSET + 1_000_000, 1_000_000);
        clock.onReport(OFFSET + 1_000_500, 1_000_400);
        assertEquals(1_000_400, clock.issuedMicros());
    }

    /** 100 millionths fast: of each window the least delayed report counts. */
    @Test
    void theRateIsThatOfTheLeastDelayedReports() {
        RemoteClock clock = new RemoteClock(WINDOW);
        for (int window = 0; window < 4; window++) {
            long now = window * WINDOW;
            assertEquals(window >= 3, clock.hasRate(), "window " + window);
            clock.onReport(theirs(now), now + 7_000);
            clock.onReport(theirs(now + 500_000), now + 500_000);
            clock.onReport(theirs(now + 600_000), now + 609_000);
        }
        assertFalse(Double.isNaN(clock.millionths()));
        clock.onReport(theirs(4 * WINDOW), 4 * WINDOW + 7_000);
        assertTrue(clock.hasRate());
        assertEquals(100, clock.millionths(), 2);
    }

    private static long theirs(long now) {
        return OFFSET + now + now / 10_000;
    }

    /** The first rate counts whole, each later one a quarter. */
    @Test
    void aLaterRateCountsAQuarter() {
        RemoteClock clock = new RemoteClock(WINDOW);
        clock.onReport(OFFSET, 0);
        clock.onReport(OFFSET + WINDOW + 100, WINDOW);
        clock.onReport(OFFSET + 2 * WINDOW + 100 + 500, 2 * WINDOW);
        assertEquals(100, clock.millionths(), 0.001);
        clock.onReport(OFFSET + 3 * WINDOW, 3 * WINDOW);
        assertEquals(100 + 400 / 4.0, clock.millionths(), 0.001);
    }

    /** A clock that was set says nothing about its rate. */
    @Test
    void aRateThatNoClockHasIsIgnored() {
        RemoteClock clock = new RemoteClock(WINDOW);
        clock.onReport(OFFSET, 0);
        clock.onReport(OFFSET + WINDOW + 1_001, WINDOW);
        clock.onReport(OFFSET + 2 * WINDOW, 2 * WINDOW);
        assertFalse(clock.hasRate());
        RemoteClock fast = new RemoteClock(WINDOW);
        fast.onReport(OFFSET, 0);
        fast.onReport(OFFSET + WINDOW + 1_000, WINDOW);
        fast.onReport(OFFSET + 2 * WINDOW, 2 * WINDOW);
        assertTrue(fast.hasRate(), "one part in 1,000 is a rate");
        assertEquals(1_000, fast.millionths(), 0.001);
    }

    /** A clock that seems to drift by less than the most is not as fresh as one whose way became shorter. */
    @Test
    void aReportWithinTheDriftIsTheLeastDelayed() {
        RemoteClock clock = new RemoteClock(0);
        clock.onReport(OFFSET, 100);
        clock.onReport(OFFSET + 1_000_000 - 600, 1_000_000);
        assertEquals(1_000_000, clock.issuedMicros());
        clock.onReport(OFFSET + 1_000_000 - 600 + 500, 1_001_000);
        assertEquals(1_000_501, clock.issuedMicros());
    }

    @Test
    void theDriftIsCountedOnceForEachTime() {
        RemoteClock clock = new RemoteClock(0);
        clock.onReport(OFFSET, 0);
        clock.onReport(OFFSET + 1_000, 1_500);
        assertEquals(1_001, clock.issuedMicros(), "a drift of one");
        clock.onReport(OFFSET + 2_000, 2_500);
        assertEquals(2_002, clock.issuedMicros(), "of two");
        clock.onReport(OFFSET + 3_000, 3_500);
        assertEquals(3_003, clock.issuedMicros(), "of three");
    }

    @Test
    void withoutAWindowThereIsNoRate() {
        RemoteClock clock = new RemoteClock(0);
        for (int i = 0; i < 5; i++) {
            clock.onReport(OFFSET + i * WINDOW, i * WINDOW);
        }
        assertFalse(clock.hasRate());
    }

    @Test
    void aMoreDelayedReportOfAWindowDoesNotCount() {
        RemoteClock clock = new RemoteClock(WINDOW);
        clock.onReport(OFFSET, 0);
        clock.onReport(OFFSET + 1, 901);
        clock.onReport(OFFSET + WINDOW, WINDOW);
        clock.onReport(OFFSET + WINDOW + 500, WINDOW + 1_000);
        clock.onReport(OFFSET + 2 * WINDOW, 2 * WINDOW);
        assertTrue(clock.hasRate());
        assertEquals(0, clock.millionths(), 0.001);
    }
}
