package org.amo.meetings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The judge judged: it finds what is there, invents nothing, and does not trust a control that shows nothing. */
@Timeout(120)
class MeetingsTest {

    @Test
    void anIncrementThatIsNotAtomicIsFoundAndAnAtomicOneBearsIt() {
        Meetings.prove(() -> counting(new AtomicInteger()::incrementAndGet), MeetingsTest::plainCounting);
    }

    @Test
    void aSoundControlProvesNothing() {
        Supplier<Meeting> nothing = () -> counting(new AtomicInteger()::incrementAndGet);
        AssertionError error = assertThrows(
                AssertionError.class, () -> Meetings.prove(nothing, nothing, TimeUnit.MILLISECONDS.toNanos(200)));
        assertTrue(String.valueOf(error.getMessage()).contains("did not show"), error::toString);
    }

    @Test
    void aBugOfTheStructureItselfIsToldOf() {
        AssertionError error = assertThrows(
                AssertionError.class, () -> Meetings.prove(MeetingsTest::slowCounting, MeetingsTest::slowCounting));
        assertTrue(String.valueOf(error.getMessage()).contains("two were counted as one"), error::toString);
    }

    /** A life takes long where other processes have the processors. */
    @Test
    void noLifeFollowsTheOneThatShowsABug() {
        AtomicInteger begun = new AtomicInteger();
        AssertionError error = assertThrows(
                AssertionError.class,
                () -> Meetings.prove(
                        () -> Meeting.of(() -> "broken", begun::incrementAndGet),
                        () -> Meeting.of(() -> "planted", () -> {})));
        assertTrue(String.valueOf(error.getMessage()).contains("life 1: broken"), error::toString);
        assertEquals(1, begun.get());
    }

    @Test
    void whatAnActThrowsIsAViolation() {
        AssertionError error = assertThrows(
                AssertionError.class,
                () -> Meetings.prove(
                        () -> Meeting.of(() -> "", () -> {}, () -> {
                            throw new IllegalStateException("planted");
                        }),
                        MeetingsTest::plainCounting));
        assertTrue(String.valueOf(error.getMessage()).contains("planted"), error::toString);
    }

    @Test
    void aStructureThatCannotBeAskedIsBroken() {
        AssertionError error = assertThrows(
                AssertionError.class,
                () -> Meetings.prove(
                        () -> Meeting.of(
                                () -> {
                                    throw new IllegalStateException("planted");
                                },
                                () -> {}),
                        MeetingsTest::slowCounting));
        assertTrue(String.valueOf(error.getMessage()).contains("planted"), error::toString);
    }

    @Test
    void theActsOfALifeBeginTogether() {
        // Each waits for the other: acts that came one after another would hang.
        Meetings.prove(
                () -> {
                    CountDownLatch both = new CountDownLatch(2);
                    return Meeting.of(() -> "", () -> arrive(both), () -> arrive(both));
                },
                MeetingsTest::slowCounting);
    }

    private static void arrive(CountDownLatch latch) throws InterruptedException {
        latch.countDown();
        latch.await();
    }

    private static Meeting plainCounting() {
        int[] count = {0};
        return counting(() -> ++count[0]);
    }

    @SuppressWarnings("ThreadPriorityCheck") // so that the other thread comes in between for certain, soon
    private static Meeting slowCounting() {
        AtomicInteger count = new AtomicInteger();
        return counting(() -> {
            int seen = count.get();
            Thread.yield();
            count.set(seen + 1);
            return seen + 1;
        });
    }

    private static Meeting counting(Supplier<Integer> increment) {
        int[] last = {0, 0};
        return Meeting.of(
                () -> Math.max(last[0], last[1]) == 2 ? "" : "two were counted as one",
                () -> last[0] = increment.get(),
                () -> last[1] = increment.get());
    }
}
