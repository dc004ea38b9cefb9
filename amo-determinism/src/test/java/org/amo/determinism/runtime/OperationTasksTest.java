package org.amo.determinism.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Timers of one member that are due at the same time. */
final class OperationTasksTest {
    private static final long NOON = 1_700_000_000_000L;

    private final MemberOperations member = new MemberOperations(new byte[] {1});

    @BeforeEach
    void order() {
        ThreadStarts.configure(ThreadStarts.ORDERED, (line, where) -> {});
    }

    @AfterEach
    void leave() {
        member.dropTasks();
        ThreadStarts.configure("warn", (line, where) -> {});
    }

    @Test
    void aTimerWithoutDelayIsNotTakenForTheFirstOneOfTheProcess() {
        member.begin(1, 5, 6, 1, NOON);
        OrderedTimer<?> first = schedule(TimeUnit.MILLISECONDS.toNanos(100));
        member.end();
        member.begin(2, 5, 6, 2, NOON + 100);
        schedule(0).cancel(false);
        member.end();
        assertEquals(NOON + 100, member.nextTimerMillis());
        assertFalse(first.isDone());
    }

    private OrderedTimer<?> schedule(long delayNanos) {
        return Objects.requireNonNull(member.tasks()).schedule(new Object(), () -> "", delayNanos, 0);
    }
}
