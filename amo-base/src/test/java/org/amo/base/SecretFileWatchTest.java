package org.amo.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Looks are made by hand, so that no test waits. */
final class SecretFileWatchTest {
    private static final String OLD = "00".repeat(32);
    private static final String NEW = "11".repeat(32);

    private final List<String> changed = new ArrayList<>();
    private final List<String> refused = new ArrayList<>();

    @TempDir
    Path folder;

    private Path file;
    private SecretRing ring;
    private SecretFileWatch watch;

    @BeforeEach
    void open() throws IOException {
        file = folder.resolve("secret");
        Files.writeString(file, OLD + "\n");
        ring = SecretRing.ofFile(file);
        watch = new SecretFileWatch(ring, file, changed::add, refused::add);
        look(3);
    }

    private void look(int times) {
        for (int i = 0; i < times; i++) {
            watch.look();
        }
    }

    private void replace(String text) throws IOException {
        Path next = Files.writeString(folder.resolve("next"), text);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    }

    @Test
    void anErrorAtOneFileEndsNoWatch() throws IOException {
        replace("amo secrets\n" + OLD + "\n" + NEW);
        SecretFileWatch failing = new SecretFileWatch(SecretRing.ofFile(file), file, changed::add, line -> {
            throw new AssertionError("as want of memory");
        });
        Files.delete(file);
        SecretFileWatch.lookAt(List.of(failing, watch));
        assertEquals(1, refused.size(), "the other one was looked at");
    }

    @Test
    void aFileThatDoesNotChangeIsNotTold() {
        assertEquals(List.of(), changed);
        assertEquals(List.of(), refused);
    }

    @Test
    void aChangeIsTakenOnceTheFileIsFoundAlikeTwice() throws IOException {
        replace("amo secrets\n" + OLD + "\n" + NEW);
        look(1);
        assertEquals(List.of(OLD), ring.secrets());
        look(1);
        assertEquals(List.of(OLD, NEW), ring.secrets());
        look(3);
        assertEquals(1, changed.size());
        assertTrue(changed.get(0).endsWith("secrets accepted now: 2"), changed.get(0));
        assertTrue(!changed.get(0).contains(NEW) && !changed.get(0).contains(OLD));
    }

    /** Between two lines the file holds the new secret alone, which would remove the old one too early. */
    @Test
    void aFileThatIsBeingWrittenIsNotTaken() throws IOException {
        replace("amo secrets\n" + OLD + "\n" + NEW);
        look(2);
        Files.writeString(file, "amo secrets\n" + NEW + "\n");
        look(1);
        Files.writeString(file, "amo secrets\n" + NEW + "\n" + OLD + "\n");
        look(1);
        assertEquals(List.of(OLD, NEW), ring.secrets());
        look(1);
        assertEquals(List.of(NEW, OLD), ring.secrets());
    }

    @Test
    void afterAFileVanishedTheSecretsStayAndOneLineIsToldOfIt() throws IOException {
        Files.delete(file);
        look(5);
        assertEquals(List.of(OLD), ring.secrets());
        assertEquals(1, refused.size());
        assertTrue(refused.get(0).contains(file.toString()), refused.get(0));
        assertEquals(1L, ring.counts().get("refused"));
        replace(OLD);
        look(2);
        assertEquals(0L, ring.counts().get("refused"));
        replace("amo secrets\n" + OLD + "\n" + NEW);
        look(2);
        assertEquals(List.of(OLD, NEW), ring.secrets());
        Files.delete(file);
        look(2);
        assertEquals(2, refused.size());
    }

    @Test
    void aWrongTextIsToldOnceAndTheNextRightOneIsTaken() throws IOException {
        replace("short");
        look(4);
        replace("shorter");
        look(4);
        assertEquals(2, refused.size());
        Files.write(file, new byte[] {(byte) 0xff, 0, 1});
        look(4);
        assertEquals(3, refused.size());
        replace("amo secrets\n" + OLD + "\n" + NEW);
        look(2);
        assertEquals(List.of(OLD, NEW), ring.secrets());
    }

    @Test
    void aPipeIsReadOnceAndAMissingFileMayComeBack() throws Exception {
        Path pipe = folder.resolve("pipe");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        assertFalse(SecretRing.isWatched(pipe));
        assertTrue(SecretRing.isWatched(file));
        assertTrue(SecretRing.isWatched(folder.resolve("none")));
    }

    @Test
    void theThreadEndsWithTheLastWatch() throws InterruptedException {
        Runnable first = ring.watch(changed::add, refused::add);
        Runnable second = ring.copy().watch(changed::add, refused::add);
        List<Thread> threads = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("amo-secret-files"))
                .toList();
        assertEquals(1, threads.size());
        first.run();
        second.run();
        threads.get(0).join(20_000);
        assertFalse(threads.get(0).isAlive());
    }

    /** A larger one was named by mistake, and must not fill the memory. */
    @Test
    void noMoreIsReadThanASecretMayHave() throws IOException {
        replace("x".repeat(10_000_000));
        assertEquals(65_537, SecretRing.text(file).length());
        look(2);
        assertEquals(1, refused.size());
    }
}
