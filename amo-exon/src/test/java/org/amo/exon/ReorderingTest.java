package org.amo.exon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** The window of RFC 8985: it grows with the latest datagram, and shrinks after it. */
class ReorderingTest {
    private static final long RTT = 10_000;
    private static final long DELAY = 8_000;

    private final Reordering reordering = new Reordering();

    @Test
    void aPathThatKeepsTheOrderHasNone() {
        reordering.onTime(0, RTT);
        assertFalse(reordering.isSeen());
        assertEquals(0, reordering.windowMicros());
    }

    @Test
    void theWindowIsAQuarterAboveTheLatestDatagram() {
        reordering.onLate(RTT + 4_000, RTT, DELAY);
        reordering.onLate(RTT + 3_000, RTT, DELAY);
        assertEquals(5_000, reordering.windowMicros());
    }

    @Test
    void itIsAtLeastAQuarterOfTheDelayAndAtMostFourRoundTrips() {
        reordering.onLate(RTT / 2, RTT, DELAY);
        assertEquals(DELAY / 4, reordering.windowMicros());
        reordering.onLate(100 * RTT, RTT, DELAY);
        assertEquals(4 * RTT, reordering.windowMicros());
    }

    @Test
    void itShrinksToWhatTheLastSixteenRoundTripsAskFor() {
        reordering.onTime(0, RTT);
        reordering.onLate(RTT + 8_000, RTT, DELAY);
        reordering.onTime(16 * RTT, RTT);
        reordering.onLate(RTT + 4_000, RTT, DELAY);
        assertEquals(10_000, reordering.windowMicros(), "of the round trips before");
        reordering.onTime(31 * RTT, RTT);
        assertEquals(10_000, reordering.windowMicros());
        reordering.onTime(32 * RTT, RTT);
        assertEquals(5_000, reordering.windowMicros());
        reordering.onTime(48 * RTT, RTT);
        assertFalse(reordering.isSeen());
    }

    /** The window of the congestion control grows only with the second. */
    @Test
    void whatCameLateInOneOfTwoTimesIsNotSteady() {
        reordering.onTime(0, RTT);
        reordering.onLate(RTT + 8_000, RTT, DELAY);
        assertEquals(0, reordering.steadyMicros());
        reordering.onTime(16 * RTT, RTT);
        assertEquals(0, reordering.steadyMicros());
        reordering.onLate(RTT + 4_000, RTT, DELAY);
        assertEquals(5_000, reordering.steadyMicros());
    }

    @Test
    void aSecondIsEnoughOnALongPath() {
        reordering.onTime(0, 500_000);
        reordering.onLate(900_000, 500_000, 400_000);
        reordering.onTime(1_000_000, 500_000);
        assertTrue(reordering.isSeen());
        reordering.onTime(2_000_000, 500_000);
        assertFalse(reordering.isSeen());
    }
}
