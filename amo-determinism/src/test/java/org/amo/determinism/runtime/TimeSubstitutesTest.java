package org.amo.determinism.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Waits of operations until a time, in a process whose clock is an hour behind the group's. */
@Timeout(60)
final class TimeSubstitutesTest {
    private final MemberOperations member = new MemberOperations(new byte[] {1});
    private final long noon = System.currentTimeMillis() + TimeUnit.HOURS.toMillis(1);

    private long clockBehind(LongConsumer wait, long deadlineMillis) {
        member.begin(1, 5, 6, 1, noon);
        try {
            wait.accept(deadlineMillis);
            return member.clock();
        } finally {
            member.end();
        }
    }

    /** By the machine's clock it would wait for an hour; the time limit of the test ends that wait by an interrupt. */
    @Test
    void aWaitUntilATimeIsOneByTheClockOfTheOperation() {
        long began = System.nanoTime();
        long deadline = noon + 10;
        assertEquals(
                TimeUnit.MILLISECONDS.toNanos(deadline), clockBehind(TimeSubstitutes::lockSupportParkUntil, deadline));
        deadline += 10;
        assertEquals(
                TimeUnit.MILLISECONDS.toNanos(deadline),
                clockBehind(until -> TimeSubstitutes.lockSupportParkUntil(this, until), deadline));
        assertTrue(System.nanoTime() - began < TimeUnit.SECONDS.toNanos(30));
    }

    @Test
    void aTimeThatHasPassedIsNotAwaited() {
        long now = TimeUnit.MILLISECONDS.toNanos(noon);
        for (long passed : new long[] {noon, noon - 1, 0, -1, Long.MIN_VALUE}) {
            assertEquals(now, clockBehind(TimeSubstitutes::lockSupportParkUntil, passed));
        }
    }
}
