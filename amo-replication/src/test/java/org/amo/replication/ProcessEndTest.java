package org.amo.replication;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class ProcessEndTest {
    /** Its last thread but that of the end returns at once. */
    public static final class Program {
        private Program() {}

        public static void main(String[] arguments) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().equals("amo-exiting"))
                    .forEach(thread -> System.out.println(thread.isDaemon() ? "daemon" : "user thread"))));
            ProcessEnd.exit(3);
        }
    }

    /** A supervisor that restarts what failed takes 0 for a wish to leave. */
    @Test
    void theExitCodeStandsThoughMainReturns() throws Exception {
        List<String> words = new ArrayList<>(ChildJvm.words(List.of()));
        words.add(Program.class.getName());
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(3, process.waitFor(), said);
        assertEquals("user thread", said.trim());
    }
}
