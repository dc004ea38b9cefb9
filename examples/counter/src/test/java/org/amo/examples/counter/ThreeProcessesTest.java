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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.amo.core.order.Member;
import org.amo.replication.FreePorts;
import org.amo.testkit.check.CheckReport;
import org.amo.testkit.check.Checker;
import org.amo.testkit.history.HistoryFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three processes, a client in a fourth, and a kill -9 of whichever member serves it. No JVM flags but the heap's size. */
@Timeout(120)
final class ThreeProcessesTest {
    private static final List<String> IDS = List.of("a", "b", "c");

    @TempDir
    private Path folder = Path.of("unset");

    private final Map<String, Process> running = new LinkedHashMap<>();

    @AfterEach
    void end() {
        running.values().forEach(Process::destroyForcibly);
    }

    @Test
    void aKilledMemberThatComesBackLosesNothingAndDoublesNothing() throws Exception {
        String members = members();
        Path secret = Files.writeString(folder.resolve("secret"), "5e".repeat(32));
        for (String id : IDS) {
            startMember(id, 1, members, secret);
        }
        start(
                "client",
                CounterClient.class,
                members,
                secret.toString(),
                "4",
                "500",
                history("client").toString());
        awaitText("client", "served by ");
        String text = text("client");
        int at = text.indexOf("served by ") + "served by ".length();
        String killed = text.substring(at, at + 1);
        running.get(killed).destroyForcibly().waitFor();
        startMember(killed, 2, members, secret);
        Process client = running.get("client");
        assertTrue(client.waitFor(90, TimeUnit.SECONDS), text("client"));
        assertEquals(0, client.exitValue(), text("client"));
        assertTrue(text("client").contains("2000 calls, 0 wrong"), text("client"));
        judge(killed);
    }

    /** What client and members wrote down, through all lives, must be a history of a correct service. */
    private void judge(String killed) throws Exception {
        String whole = IDS.stream().filter(id -> !id.equals(killed)).findFirst().orElseThrow();
        while (Files.readAllLines(history(whole + "1")).stream()
                        .filter(line -> line.contains("\"exec\""))
                        .count()
                < 2_000) {
            awaitMore(whole);
        }
        long end = reached(history(whole + "1"));
        for (String id : IDS) {
            // The one that came back may have the first calls from a snapshot.
            while (reached(history(id + (id.equals(killed) ? 2 : 1))) < end) {
                awaitMore(id);
            }
        }
        List<String> events = new ArrayList<>(Files.readAllLines(history("client")));
        for (String id : IDS) {
            events.addAll(whole(history(id + "1")));
            if (id.equals(killed)) {
                events.add("{\"type\":\"crash\",\"replica\":\"" + id + "\"}");
                events.addAll(whole(history(id + "2")));
            }
        }
        CheckReport report = Checker.check(HistoryFile.parse(events));
        assertTrue(report.passed(), report.lines().toString());
    }

    private void awaitMore(String id) throws InterruptedException {
        assertTrue(running.get(id).isAlive(), () -> id + " ended");
        TimeUnit.MILLISECONDS.sleep(20);
    }

    /** The position up to which a member has executed the log, or taken a state. */
    private static long reached(Path file) throws IOException {
        Pattern position = Pattern.compile("\"pos\":(\\d+)");
        return whole(file).stream()
                .map(position::matcher)
                .filter(Matcher::find)
                .mapToLong(found -> Long.parseLong(found.group(1)))
                .max()
                .orElse(0);
    }

    /** A kill can cut the last line in the middle. */
    private static List<String> whole(Path file) throws IOException {
        return Files.readAllLines(file).stream()
                .filter(line -> line.endsWith("}"))
                .toList();
    }

    private Path history(String name) {
        return folder.resolve("history-" + name + ".jsonl");
    }

    private void startMember(String id, int life, String members, Path secret) throws IOException {
        start(
                id,
                CounterServer.class,
                id,
                members,
                folder.toString(),
                secret.toString(),
                "file",
                history(id + life).toString());
    }

    private void start(String name, Class<?> main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:MetaspaceSize=128m",
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
