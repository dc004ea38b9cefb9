package org.amo.determinism.agent;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** By names alone: the JDK that runs this test may lack the methods. */
final class TaskCallsTest {
    @Test
    void methodsOfLaterJdksThatStartTasksAreKnown() {
        for (String name : List.of("lazySubmit", "externalSubmit", "invokeAllUninterruptibly", "submitWithTimeout")) {
            assertTrue(TaskCalls.contain("java/util/concurrent/ForkJoinPool", name), name);
        }
        assertTrue(TaskCalls.contain("java/util/stream/Gatherers", "mapConcurrent"));
    }
}
