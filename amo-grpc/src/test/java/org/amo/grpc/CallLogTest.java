package org.amo.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The threads of a log: its end, and executors and disks that fail. */
@Timeout(60)
final class CallLogTest {
    private static final byte[] NOTE = {1, 2, 3};

    @TempDir
    private Path folder;

    private final Object lock = new Object();
    private final CountDownLatch goesOn = new CountDownLatch(1);

    private CallLog log(boolean forced, CallLog.Disk disk, Executor executor) throws IOException {
        return new CallLog(new CallFolder(folder), lock, NOTE, forced, disk, executor, CallLog.LEAST_REPLACED_BYTES);
    }

    private Optional<Runnable> note(CallLog log, Runnable task) {
        synchronized (lock) {
            log.note(NOTE);
            return log.afterwards(task);
        }
    }

    private void await() {
        try {
            goesOn.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void assertClaimed() {
        IOException refused = assertThrows(IOException.class, () -> new CallFolder(folder));
        assertTrue(refused.getMessage().contains("belongs to a server"), refused.getMessage());
    }

    @Test
    void aFolderIsGivenAwayOnceItsStateIsWritten() throws IOException {
        CallLog log = log(false, CallLog.Disk.system(), Runnable::run);
        synchronized (lock) {
            log.replace(() -> {
                await();
                return NOTE;
            });
        }
        assertThrows(IOException.class, () -> log.close(20));
        assertClaimed();
        goesOn.countDown();
        log.close();
        new CallFolder(folder).close();
    }

    @Test
    void aFolderIsNotGivenAwayWhileItsDiskDoesNotAnswer() throws IOException {
        CallLog log = log(true, file -> await(), Runnable::run);
        note(log, () -> {});
        IOException refused = assertThrows(IOException.class, () -> log.close(20));
        assertTrue(refused.getMessage().contains("end this process"), refused.getMessage());
        assertClaimed();
        goesOn.countDown();
        log.close();
        new CallFolder(folder).close();
    }

    @Test
    void aTaskThatTheExecutorRefusesRunsAndHoldsUpNoOther() throws IOException {
        AtomicReference<String> ran = new AtomicReference<>("");
        try (CallLog log = log(true, CallLog.Disk.system(), task -> {
            throw new RejectedExecutionException("as the test asks");
        })) {
            note(log, this::await);
            note(log, () -> ran.set(Thread.currentThread().getName()));
            Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> !ran.get()
                    .isEmpty());
            assertEquals("amo-grpc-call", ran.get());
        } finally {
            goesOn.countDown();
        }
    }

    @Test
    void anUnexpectedErrorBreaksTheLog() throws IOException {
        try (CallLog log = log(
                true,
                file -> {
                    throw new IllegalStateException("as the test asks");
                },
                Runnable::run)) {
            assertFalse(log.isBroken());
            note(log, () -> {});
            Awaitility.await()
                    .dontCatchUncaughtExceptions()
                    .atMost(Duration.ofSeconds(20))
                    .until(log::isBroken);
        }
    }
}
