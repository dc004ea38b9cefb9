package org.amo.exon.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.amo.exon.NodeId;
import org.amo.net.CheckedFile;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ClockWriterTest {
    @TempDir
    Path folder;

    /** The write could come behind those of the next node, which would then find a lower bound at its next start. */
    @Test
    @DisabledOnOs(OS.WINDOWS)
    void theFileIsNotGivenBackBeforeTheLastWriteHasEnded() throws Exception {
        Path file = folder.resolve("clock");
        Path draft = folder.resolve("clock.new");
        // Opening a pipe for writing waits for a reader, as a disk may make it wait.
        assertEquals(0, new ProcessBuilder("mkfifo", draft.toString()).start().waitFor());
        ClockWriter writer = new ClockWriter(FileNodeClock.open(file, new NodeId(1, 2)), bound -> {});
        writer.store(10);
        Awaitility.await().until(ClockWriterTest::isWriting);
        try {
            writer.close();
            IOException refused = assertThrows(
                    IOException.class, () -> CheckedFile.claim(file).close());
            assertTrue(refused.getMessage().contains("running"), refused.getMessage());
        } finally {
            FileChannel.open(draft, StandardOpenOption.READ).close();
        }
        Awaitility.await().ignoreExceptionsInstanceOf(IOException.class).untilAsserted(() -> CheckedFile.claim(file)
                .close());
    }

    @Test
    void aNodeForWhichTheSystemHasNoThreadDoesNotStart() throws Exception {
        Path file = folder.resolve("clock");
        ClockWriter writer = new ClockWriter(FileNodeClock.open(file, new NodeId(1, 2)), bound -> {}, task -> {
            throw new OutOfMemoryError("planted");
        });
        IOException refused = assertThrows(IOException.class, writer::start);
        assertTrue(refused.getMessage().contains("no thread (planted)"), refused.getMessage());
        CheckedFile.claim(file).close();
    }

    /** The core asks once for each bound: without an answer the node falls silent. */
    @Test
    void anErrorIsNotTheLastOfAWrite() throws Exception {
        List<Long> told = new CopyOnWriteArrayList<>();
        try (ClockWriter writer =
                new ClockWriter(FileNodeClock.open(folder.resolve("clock"), new NodeId(1, 2)), bound -> {
                    told.add(bound);
                    if (told.size() == 1) {
                        throw new OutOfMemoryError("planted");
                    }
                })) {
            writer.start();
            writer.store(10);
            Awaitility.await().until(() -> told.equals(List.of(10L, 10L)));
        }
    }

    private static boolean isWriting() {
        return Thread.getAllStackTraces().values().stream()
                .flatMap(Arrays::stream)
                .anyMatch(frame -> frame.getClassName().equals(CheckedFile.class.getName())
                        && frame.getMethodName().equals("write"));
    }
}
