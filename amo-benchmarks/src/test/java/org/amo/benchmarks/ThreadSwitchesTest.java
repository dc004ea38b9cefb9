package org.amo.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.amo.base.DaemonThreads;
import org.amo.benchmarks.ProcessTime.Switches;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ThreadSwitchesTest {
    private static final int ROUNDS = 1_000;

    @BeforeEach
    void onLinux() {
        Assumptions.assumeTrue(Files.exists(Path.of("/proc/self/task")));
    }

    /** Each waits for the other a thousand times, and neither is the process's first thread. */
    @Test
    void threadsThatTakeTurnsWaitForEachOther() throws InterruptedException {
        Semaphore one = new Semaphore(0);
        Semaphore other = new Semaphore(0);
        CountDownLatch done = new CountDownLatch(2);
        CountDownLatch counted = new CountDownLatch(1);
        Switches before = ofThisProcess();
        DaemonThreads.start("amo-test-one", () -> takeTurns(one, other, done, counted));
        DaemonThreads.start("amo-test-other", () -> takeTurns(other, one, done, counted));
        one.release();
        assertTrue(done.await(30, TimeUnit.SECONDS));
        // They still live: a thread takes its count along.
        long voluntary = ofThisProcess().since(before).voluntary();
        counted.countDown();
        // On a busy machine the turn has often come before the thread waits.
        assertTrue(voluntary >= ROUNDS / 2, voluntary + " of " + 2 * ROUNDS);
    }

    private static void takeTurns(Semaphore own, Semaphore next, CountDownLatch done, CountDownLatch counted) {
        for (int i = 0; i < ROUNDS; i++) {
            own.acquireUninterruptibly();
            next.release();
        }
        done.countDown();
        try {
            counted.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void anIdleProcessHasFewAndOneThatHasEndedNone() throws Exception {
        Process idle = Children.start(new ProcessBuilder("sleep", "60"));
        try {
            Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> of(idle).voluntary() > 0);
            Switches asleep = of(idle);
            assertTrue(asleep.voluntary() < 100, asleep.toString());
            idle.destroyForcibly();
            idle.waitFor();
            assertEquals(new Switches(0, 0), of(idle));
            assertEquals(new Switches(0, 0), of(idle).since(asleep));
        } finally {
            idle.destroyForcibly();
        }
    }

    private static Switches of(Process process) {
        return Switches.of(LongStream.of(process.pid()));
    }

    private static Switches ofThisProcess() {
        return Switches.of(LongStream.of(ProcessHandle.current().pid()));
    }
}
