package org.amo.cli.wrap;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Of a virtual machine below a shell, as of a start script. */
@Timeout(60)
class CompilerPriorityTest {
    private static final Path PROCESSES = Path.of("/proc");

    @Test
    void theCompilersOfAProgramYieldAndItsOtherThreadsDoNot() throws Exception {
        assumeTrue(Files.isDirectory(PROCESSES.resolve("self/task")), "threads have no priorities of their own here");
        Process shell = new ProcessBuilder(
                        "sh",
                        "-c",
                        "\"$0\" -cp \"$1\" \"$2\"; exit $?",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        System.getProperty("java.class.path"),
                        Waiting.class.getName())
                .start();
        int own = CompilerPriority.nice(PROCESSES.resolve("self"));
        int lowered = own + CompilerPriority.MORE;
        try {
            CompilerPriority.lower(shell.toHandle());
            await().until(() -> shell.descendants().anyMatch(java -> has(nice(java), "C2 CompilerThre", lowered)));
            ProcessHandle java = shell.descendants().findFirst().orElseThrow();
            await().until(() -> has(nice(java), "C1 CompilerThre", lowered));
            assertTrue(has(nice(java), "java", own), "the thread of main");
        } finally {
            shell.descendants().forEach(ProcessHandle::destroyForcibly);
            shell.destroyForcibly();
        }
    }

    private static boolean has(Map<String, Integer> threads, String name, int nice) {
        return threads.getOrDefault(name, -100) == nice;
    }

    /** The threads of a process by their names, with what nice made of them. */
    private static Map<String, Integer> nice(ProcessHandle process) {
        Map<String, Integer> nice = new TreeMap<>();
        try (Stream<Path> threads = Files.list(PROCESSES.resolve(process.pid() + "/task"))) {
            for (Path thread : threads.toList()) {
                nice.put(Files.readString(thread.resolve("comm")).strip(), CompilerPriority.nice(thread));
            }
        } catch (IOException e) {
            // A thread has ended meanwhile; the next look tells.
        }
        return nice;
    }

    /** A program that does nothing. */
    static final class Waiting {
        private Waiting() {}

        public static void main(String[] args) throws InterruptedException {
            Thread.currentThread().join();
        }
    }
}
