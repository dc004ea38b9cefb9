package org.amo.scmp.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.amo.net.CheckedFile;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class StoreThreadTest {
    @TempDir
    Path folder;

    @Test
    void aServerForWhichTheSystemHasNoThreadDoesNotStart() throws Exception {
        Path file = folder.resolve("latest");
        IOException refused = assertThrows(
                IOException.class,
                () -> StoreThread.open(Optional.of(file), task -> {
                    throw new OutOfMemoryError("planted");
                }));
        assertTrue(refused.getMessage().contains("no thread (planted)"), refused.getMessage());
        CheckedFile.claim(file).close();
    }

    /** The server waits for the answer, and refuses all calls until it comes. */
    @Test
    void aStoreThatThrowsHasFailed() throws Exception {
        try (StoreThread store = StoreThread.open(Optional.of(folder.resolve("latest")))) {
            CountDownLatch stored = new CountDownLatch(1);
            store.store(10, stored::countDown, () -> {});
            assertTrue(stored.await(20, TimeUnit.SECONDS));
            CountDownLatch failed = new CountDownLatch(1);
            store.store(9, () -> {}, failed::countDown);
            assertTrue(failed.await(20, TimeUnit.SECONDS), "a value that falls is refused");
        }
    }

    /** The write could come behind those of the next server, which would then find an older value at its next start. */
    @Test
    @DisabledOnOs(OS.WINDOWS)
    void theFileIsNotGivenBackBeforeTheLastWriteHasEnded() throws Exception {
        Path file = folder.resolve("latest");
        Path draft = folder.resolve("latest.new");
        // Opening a pipe for writing waits for a reader, as a disk may make it wait.
        assertEquals(0, new ProcessBuilder("mkfifo", draft.toString()).start().waitFor());
        CountDownLatch ended = new CountDownLatch(1);
        StoreThread store = StoreThread.open(Optional.of(file));
        store.store(10, ended::countDown, ended::countDown);
        try {
            store.close();
            assertEquals(1, ended.getCount(), "the write has not ended");
            IOException refused = assertThrows(
                    IOException.class, () -> CheckedFile.claim(file).close());
            assertTrue(refused.getMessage().contains("running"), refused.getMessage());
        } finally {
            FileChannel.open(draft, StandardOpenOption.READ).close();
        }
        assertTrue(ended.await(20, TimeUnit.SECONDS));
        Awaitility.await().ignoreExceptionsInstanceOf(IOException.class).untilAsserted(() -> CheckedFile.claim(file)
                .close());
    }
}
