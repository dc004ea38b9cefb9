package org.amo.replication;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When a snapshot is due, with a clock of our own. */
class LogGrowthTest {
    private static final long BYTES = 90_000;
    private static final long ENTRIES = 900;

    private long now = -5;

    private LogGrowth growth(int place, int members) {
        return new LogGrowth(BYTES, ENTRIES, place, members, () -> now);
    }

    /** Adds entries until a snapshot is due. @return how many */
    private static long untilDue(LogGrowth growth, int length) {
        long entries = 0;
        while (!growth.isDue()) {
            growth.add(length);
            entries++;
        }
        return entries;
    }

    @Test
    void largeEntriesCountByTheirBytesAndSmallOnesByTheirNumber() {
        assertEquals(9, untilDue(growth(0, 1), 10_000));
        assertEquals(ENTRIES, untilDue(growth(0, 1), 1));
    }

    @Test
    void membersTakeTurnsAndKeepThem() {
        List<Long> first = new ArrayList<>();
        for (int place = 0; place < 3; place++) {
            LogGrowth growth = growth(place, 3);
            first.add(untilDue(growth, 1));
            growth.restart();
            assertEquals(ENTRIES, untilDue(growth, 1));
        }
        assertEquals(List.of(300L, 600L, 900L), first);
        assertEquals(3, untilDue(growth(0, 3), 10_000));
    }

    @Test
    void theNumberOfEntriesAsksForAHundredthOfTheTimeAtMost() {
        LogGrowth growth = growth(0, 1);
        growth.restart();
        growth.spend(TimeUnit.SECONDS.toNanos(1));
        growth.spend(TimeUnit.SECONDS.toNanos(1));
        for (int i = 0; i < 10 * ENTRIES; i++) {
            growth.add(1);
        }
        now += TimeUnit.SECONDS.toNanos(200) - 1;
        assertFalse(growth.isDue());
        now++;
        assertTrue(growth.isDue());
    }

    @Test
    void eachSnapshotHasACostOfItsOwnAlsoIfItIsGivenUp() {
        LogGrowth growth = growth(0, 1);
        growth.restart();
        growth.spend(TimeUnit.SECONDS.toNanos(1));
        growth.retryLater();
        for (int i = 0; i < ENTRIES; i++) {
            growth.add(1);
        }
        assertFalse(growth.isDue());
        now += TimeUnit.SECONDS.toNanos(100);
        assertTrue(growth.isDue());
        growth.restart();
        assertEquals(ENTRIES, untilDue(growth, 1));
    }

    @Test
    void theRoomOnTheDiskAsksWhateverItCosts() {
        LogGrowth growth = growth(0, 1);
        growth.restart();
        growth.spend(TimeUnit.HOURS.toNanos(1));
        assertEquals(9, untilDue(growth, 10_000));
    }

    @Test
    void anImpossibleSnapshotIsDueAgainAfterAnEighth() {
        LogGrowth growth = growth(0, 1);
        untilDue(growth, 1);
        growth.restart();
        growth.retryLater();
        assertEquals(ENTRIES / 8, untilDue(growth, 1));
        growth.retryLater();
        assertEquals(2, untilDue(growth, 10_000));
    }
}
