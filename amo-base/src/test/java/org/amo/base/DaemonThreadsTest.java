package org.amo.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DaemonThreadsTest {
    @Test
    void aStartedThreadIsADaemonOfItsName() throws Exception {
        CompletableFuture<Thread> ran = new CompletableFuture<>();
        Thread started = DaemonThreads.start("amo-test", () -> ran.complete(Thread.currentThread()));
        assertEquals(started, ran.get(10, TimeUnit.SECONDS));
        assertTrue(started.isDaemon());
        assertEquals("amo-test", started.getName());
    }

    @Test
    void anExecutorGetsDaemonsThatAreNotStarted() {
        Thread thread = DaemonThreads.factory("amo-test").newThread(DaemonThreadsTest::nothing);
        assertEquals(Thread.State.NEW, thread.getState());
        assertTrue(thread.isDaemon());
        assertEquals("amo-test", thread.getName());
    }

    private static void nothing() {}

    /** JGroups: {@code if (thread.getClass() == Thread.class) thread.setDaemon(false)}. */
    @Test
    void aLibraryThatLooksAtTheClassLeavesItADaemon() {
        assertFalse(
                DaemonThreads.unstarted("amo-test", DaemonThreadsTest::nothing).getClass() == Thread.class);
    }

    @Test
    void anotherNameIsRefused() {
        assertThrows(
                IllegalArgumentException.class, () -> DaemonThreads.unstarted("worker", DaemonThreadsTest::nothing));
        assertThrows(IllegalArgumentException.class, () -> DaemonThreads.start("worker", DaemonThreadsTest::nothing));
    }
}
