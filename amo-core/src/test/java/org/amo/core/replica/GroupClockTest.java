package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** I3 and D10: a monotonic clock from the largest orderedTime, drawn to the median of a majority, slowly. */
final class GroupClockTest {
    private static final long T = 1_000_000;

    @Test
    void itGoesOnFromTheLargestOrderedTimeDelivered() {
        GroupClock clock = started();
        assertEquals(T + 700, clock.read(700));
        clock.onDelivered(T + 5_000, 700);
        assertEquals(T + 5_300, clock.read(1_000));
    }

    @Test
    void aDeliveryNeverSetsItBack() {
        GroupClock clock = started();
        clock.onDelivered(T + 1, 500);
        assertEquals(T + 500, clock.read(500));
    }

    @Test
    void itIsSlewedByAThousandthAtMost() {
        GroupClock fast = started();
        GroupClock slow = started();
        for (long now = 0; now <= 100_000; now += 500) {
            report(fast, T + now + 3_600_000, now);
            report(slow, T + now - 3_600_000, now);
        }
        assertTrue(Math.abs(fast.read(100_000) - T - 100_100) <= 1);
        assertTrue(Math.abs(slow.read(100_000) - T - 99_900) <= 1);
    }

    @Test
    void betweenReportsItIsSlewedOnInTheSameDirection() {
        GroupClock fast = started();
        GroupClock slow = started();
        report(fast, T + 3_600_000, 0);
        report(slow, T - 3_600_000, 0);
        assertEquals(T + 4_004, fast.read(4_000));
        assertEquals(T + 3_996, slow.read(4_000));
    }

    @Test
    void itStopsSlewingWhenItHasArrived() {
        GroupClock clock = started();
        for (long now = 0; now <= 200_000; now += 500) {
            report(clock, T + now + 50, now);
        }
        assertTrue(Math.abs(clock.read(200_000) - T - 200_050) <= 2);
    }

    @Test
    void oneWallClockOfThreeMovesNothing() {
        GroupClock clock = started();
        for (long now = 0; now <= 100_000; now += 500) {
            clock.onWallClock("b", T + now + 3_600_000, now);
        }
        assertEquals(T + 100_000, clock.read(100_000));
        assertEquals(Optional.empty(), clock.reachedWall(100_000));
    }

    @Test
    void theMedianIsOfReportsOfTheLastFiveSecondsCarriedOnToNow() {
        GroupClock clock = new GroupClock(3);
        clock.onWallClock("a", 100, 0);
        clock.onWallClock("b", 900, 0);
        clock.onWallClock("c", 500, 0);
        assertEquals(Optional.of(1_500L), clock.reachedWall(1_000));
        assertEquals(Optional.of(1_500L), clock.startWall(1, 1_000), "all are heard: the median, however far apart");
        assertEquals(Optional.of(5_500L), clock.reachedWall(5_000));
        assertEquals(Optional.empty(), clock.reachedWall(5_001));
    }

    /** A step goes no further than a correct clock; a start begins no earlier than one (D10, D14). */
    @Test
    void ofTwoClocksOfThreeTheEarlierStepsAndTheLaterStarts() {
        GroupClock clock = new GroupClock(3);
        clock.onWallClock("a", 100, 0);
        clock.onWallClock("b", 900, 0);
        assertEquals(Optional.of(100L), clock.reachedWall(0));
        assertEquals(Optional.of(900L), clock.startWall(1_000, 0));
        assertEquals(Optional.empty(), clock.startWall(500, 0), "one of them is wrong, and nobody tells which");
    }

    @Test
    void twoClocksAgreeWithinTheWindowItsEndIncluded() {
        GroupClock clock = new GroupClock(3);
        clock.onWallClock("a", 100, 0);
        clock.onWallClock("b", 900, 0);
        assertEquals(Optional.of(900L), clock.startWall(800, 0));
        assertEquals(Optional.empty(), clock.startWall(799, 0));
    }

    @Test
    void theMajorityIsThatOfThePresentMembers() {
        GroupClock clock = new GroupClock(3);
        clock.onMembers(List.of("a", "b", "c", "d", "e"));
        clock.onWallClock("a", 100, 0);
        clock.onWallClock("b", 100, 0);
        assertEquals(Optional.empty(), clock.reachedWall(0), "two of five");
        clock.onWallClock("c", 100, 0);
        assertEquals(Optional.of(100L), clock.reachedWall(0), "three of five");
        clock.onMembers(List.of("d"));
        assertEquals(Optional.empty(), clock.reachedWall(0), "clocks of former members do not count");
        clock.onWallClock("d", 700, 0);
        assertEquals(Optional.of(700L), clock.startWall(0, 0), "alone, it is all");
    }

    @Property(tries = 200)
    void itNeverGoesBackWhateverIsDeliveredOrReported(@ForAll long seed) {
        Random random = new Random(seed);
        GroupClock clock = started();
        long now = 0;
        long last = clock.read(now);
        for (int step = 0; step < 300; step++) {
            now += random.nextInt(50);
            switch (random.nextInt(3)) {
                case 0 -> clock.onDelivered(last + random.nextInt(400) - 300, now);
                case 1 -> clock.onWallClock("abc".substring(random.nextInt(3)), T + random.nextInt(1 << 24), now);
                default -> {}
            }
            long read = clock.read(now);
            assertTrue(read >= last, "back from " + last + " to " + read);
            last = read;
        }
    }

    private static GroupClock started() {
        GroupClock clock = new GroupClock(3);
        clock.onDelivered(T, 0);
        return clock;
    }

    private static void report(GroupClock clock, long wall, long now) {
        clock.onWallClock("b", wall, now);
        clock.onWallClock("c", wall, now);
    }
}
