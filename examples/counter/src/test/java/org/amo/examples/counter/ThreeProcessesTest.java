package org.amo.examples.counter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.amo.core.order.Member;
import org.amo.replication.FreePorts;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three processes, a client in a fourth, and a kill -9 of whichever member serves it. No JVM flags but the heap's size. */
@Timeout(120)
final class ThreeProcessesTest {
    @TempDir
    private Path folder = Path.of("unset");

    private final Map<String, Process> running = new LinkedHashMap<>();

    @AfterEach
    void end() {
        running.values().forEach(Process::destroyForcibly);
    }

    @Test
    void aKilledMemberLosesNothingAndDoublesNothing() throws Exception {
        String members = members();
        Path secret = Files.writeString(folder.resolve("secret"), "only for this test\n");
        for (String id : List.of("a", "b", "c")) {
            start(id, CounterServer.class, id, members, folder.toString(), secret.toString(), "file");
        }
        start("client", CounterClient.class, members, secret.toString(), "4", "1500");
        awaitText("client", "served by ");
        String text = text("client");
        int at = text.indexOf("served by ") + "served by ".length();
        running.get(text.substring(at, at + 1)).destroyForcibly();
        Process client = running.get("client");
        assertTrue(client.waitFor(90, TimeUnit.SECONDS), text("client"));
        assertEquals(0, client.exitValue(), text("client"));
        assertTrue(text("client").contains("6000 calls, 0 wrong"), text("client"));
    }

    private void start(String name, Class<?> main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        Collections.addAll(command, arguments);
        running.put(
                name,
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve(name + ".log").toFile())
                        .start());
    }

    private void awaitText(String name, String text) throws Exception {
        while (!text(name).contains(text)) {
            assertTrue(running.get(name).isAlive(), () -> name + " ended");
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    private String text(String name) throws IOException {
        return Files.readString(folder.resolve(name + ".log"), StandardCharsets.UTF_8);
    }

    private static String members() {
        return Member.format(FreePorts.members(3));
    }
}
