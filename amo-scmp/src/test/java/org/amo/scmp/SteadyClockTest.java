package org.amo.scmp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

class SteadyClockTest {
    private static final long WALL = 1_700_000_000_000_000L;
    private static final long SECOND = 1_000_000;

    @Test
    void aStepBackIsNotFollowedAndTimeGoesOn() {
        SteadyClock clock = new SteadyClock(0, WALL, 0);
        assertEquals(WALL + SECOND, clock.read(WALL + SECOND, SECOND * 1_000));
        long after = clock.read(WALL - 3_600 * SECOND, 2 * SECOND * 1_000);
        assertEquals(WALL + 2 * SECOND, after);
        long later = clock.read(WALL - 3_590 * SECOND, 12 * SECOND * 1_000);
        assertTrue(later >= WALL + 12 * SECOND - 10 * SECOND / 1_000 && later < WALL + 12 * SECOND, "slewed by 1/1000");
    }

    @Test
    void aStepAheadIsFollowedUpToAnHourAndNotBeyond() {
        SteadyClock clock = new SteadyClock(0, WALL, 0);
        assertEquals(WALL + 600 * SECOND, clock.read(WALL + 600 * SECOND, 1_000));
        assertFalse(clock.disbelievesWall());
        long now = clock.read(WALL + 86_400 * SECOND, 2_000);
        assertTrue(now < WALL + 601 * SECOND);
        assertTrue(clock.disbelievesWall());
        assertTrue(clock.wallAheadMicros() > 3_600 * SECOND);
    }

    /** As a machine that slept for longer than an hour, with a server that reads its clock for each datagram. */
    @Test
    void aClockThatDoesNotBelieveTheWallFollowsTheMonotonicOneHoweverOftenItIsRead() {
        long wall = WALL + 7_200 * SECOND;
        SteadyClock clock = new SteadyClock(0, WALL, 0);
        long nanos = 0;
        for (int i = 0; i < 10_000; i++) {
            nanos += i % 2 == 0 ? 1_900 : 700;
            clock.read(wall + nanos / 1_000, nanos);
        }
        assertTrue(clock.disbelievesWall());
        assertEquals(WALL + nanos / 1_000, clock.read(wall + nanos / 1_000, nanos));
    }

    @Test
    void itBeginsNoEarlierThanItIsTold() {
        SteadyClock clock = new SteadyClock(WALL + 5 * SECOND, WALL, 0);
        assertEquals(WALL + 5 * SECOND, clock.read(WALL, 0));
    }

    @Test
    void itNeverRunsBackwards() {
        SteadyClock clock = new SteadyClock(0, WALL, 0);
        long last = 0;
        Random random = new Random(3);
        for (long nanos = 0; nanos < 10_000_000_000L; nanos += 10_000_000) {
            long now = clock.read(WALL + nanos / 1_000 + random.nextInt(20_000_000) - 10_000_000, nanos);
            assertTrue(now >= last, now + " after " + last);
            last = now;
        }
    }
}
