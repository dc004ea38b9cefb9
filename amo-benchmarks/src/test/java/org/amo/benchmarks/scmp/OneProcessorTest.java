package org.amo.benchmarks.scmp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.amo.base.DaemonThreads;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Threads are kept where their figures say. */
@Timeout(30)
class OneProcessorTest {
    private static final Path OWN = Path.of("/proc/thread-self");

    @Test
    void anotherThreadHasOneProcessorAndThisOneAnotherUntilTheEnd() throws Exception {
        String before = allowed(OWN.toRealPath());
        CompletableFuture<Path> other = new CompletableFuture<>();
        CompletableFuture<Boolean> end = new CompletableFuture<>();
        DaemonThreads.start("amo-bench-other", () -> {
            try {
                other.complete(OWN.toRealPath());
                boolean unused = end.join();
            } catch (IOException e) {
                other.completeExceptionally(e);
            }
        });
        Path thread = other.get(10, TimeUnit.SECONDS);
        Optional<OneProcessor> opened = OneProcessor.open();
        Assumptions.assumeTrue(opened.isPresent(), "one processor");
        try {
            assertTrue(allowed(thread).matches("\\d+"), allowed(thread));
            assertTrue(allowed(OWN.toRealPath()).matches("\\d+"), allowed(OWN.toRealPath()));
            assertNotEquals(allowed(thread), allowed(OWN.toRealPath()));
        } finally {
            opened.get().close();
        }
        assertEquals(before, allowed(thread));
        assertEquals(before, allowed(OWN.toRealPath()));
        end.complete(true);
    }

    /** The processors of a thread, such as 0-1. */
    private static String allowed(Path thread) throws IOException {
        String name = "Cpus_allowed_list:";
        return Files.readAllLines(thread.resolve("status")).stream()
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(name.length()).strip())
                .findFirst()
                .orElseThrow();
    }
}
