package org.amo.lab;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.amo.cli.Amo;
import org.amo.lab.cluster.Programs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A benchmark that a signal ends while its processes write. */
@Timeout(120)
class InterruptedBenchTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int OF_SIGTERM = 143;

    @TempDir
    Path folder;

    /** Ctrl-C takes the same way, and a shell may have the signal ignored. */
    @Test
    void aSignalLeavesNeitherFilesNorProcesses() throws Exception {
        Path output = folder.resolve("bench.out");
        Process bench = new ProcessBuilder(Programs.small(Amo.class, List.of("bench", "sizing", "--quick"))
                        .words())
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        Path runs = folder.resolve(".amo");
        await().atMost(PATIENCE).until(() -> !bench.isAlive() || hasLog(runs));
        List<ProcessHandle> members = bench.descendants().toList();
        assertFalse(members.isEmpty(), Files.readString(output));
        // Its standard input stays open: at its end, it stops at once.
        assertTrue(bench.toHandle().destroy());
        assertTrue(bench.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        assertEquals(OF_SIGTERM, bench.exitValue(), Files.readString(output));
        assertEquals(List.of(), files(runs), "files of the run");
        await().atMost(PATIENCE).until(() -> members.stream().noneMatch(ProcessHandle::isAlive));
        assertEquals("", Files.readString(output));
    }

    /** Of a member. */
    private static boolean hasLog(Path runs) throws IOException {
        try {
            return files(runs).stream().anyMatch(file -> file.endsWith("entries.amo"));
        } catch (UncheckedIOException e) {
            // A draft had gone meanwhile.
            return false;
        }
    }

    private static List<Path> files(Path runs) throws IOException {
        if (!Files.exists(runs)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(runs)) {
            return files.toList();
        }
    }
}
