package org.amo.cli.wrap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.amo.cli.Amo;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Wraps programs in processes of their own, as a user does. */
class LaunchTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String JAVA =
            Path.of(System.getProperty("java.home"), "bin", "java").toString();

    private final List<Process> processes = new ArrayList<>();

    /** A program that knows nothing of amo. */
    public static final class Program {
        private Program() {}

        /** With a number: repeats a line of standard input and exits with it. Otherwise: tells its pid and stays. */
        public static void main(String[] args) throws IOException, InterruptedException {
            if (args[0].equals("stay")) {
                System.out.println(ProcessHandle.current().pid());
                Thread.sleep(LIMIT.toMillis());
            }
            BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            System.out.println("heard " + input.readLine() + ", sack " + System.getProperty("amo.sack"));
            System.err.println("an error");
            System.exit(Integer.parseInt(args[0]));
        }
    }

    @AfterEach
    void endAll() {
        processes.forEach(Process::destroyForcibly);
    }

    @Test
    void streamsAndTheExitCodePassThrough() throws Exception {
        Process process = start(new ProcessBuilder(wrapped("37")));
        try (Writer writer = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8)) {
            writer.write("hello\n");
        }
        assertEquals("heard hello, sack off", line(process));
        assertTrue(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS));
        assertEquals(37, process.exitValue());
        assertEquals("an error", new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8).strip());
    }

    @Test
    void aSignalEndsTheProgramToo() throws Exception {
        Process process = start(new ProcessBuilder(wrapped("stay")));
        long pid = Long.parseLong(line(process));
        assertTrue(isAlive(pid));
        process.destroy();
        assertTrue(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS));
        Awaitility.await().atMost(LIMIT).until(() -> !isAlive(pid));
        assertFalse(isAlive(pid));
    }

    private Process start(ProcessBuilder builder) throws IOException {
        Process process = builder.start();
        processes.add(process);
        return process;
    }

    private static boolean isAlive(long pid) {
        return Optional.of(pid)
                .flatMap(ProcessHandle::of)
                .filter(ProcessHandle::isAlive)
                .isPresent();
    }

    private static String line(Process process) throws IOException {
        return new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)).readLine();
    }

    private static List<String> wrapped(String argument) {
        String classPath = String.join(File.pathSeparator, AmoClassPath.all());
        return List.of(
                JAVA,
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                classPath,
                Amo.class.getName(),
                "wrap",
                "client",
                "--sack",
                "off",
                "--",
                JAVA,
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                classPath,
                Program.class.getName(),
                argument);
    }
}
