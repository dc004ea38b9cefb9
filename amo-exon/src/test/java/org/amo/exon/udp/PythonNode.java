package org.amo.exon.udp;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.amo.exon.NodeId;

/** A node of the second implementation, {@code src/test/python/exon_node.py}, in a process of its own. */
final class PythonNode implements AutoCloseable {
    static final NodeId ID = new NodeId(6, 5);
    private static final Path PROGRAM = Path.of("src", "test", "python", "exon_node.py");

    private final Process process;

    private PythonNode(Process process) {
        this.process = process;
    }

    /** Whether this machine has a python3. */
    static boolean isThere() throws InterruptedException {
        try {
            Process version = new ProcessBuilder("python3", "--version")
                    .redirectErrorStream(true)
                    .start();
            return version.waitFor(20, TimeUnit.SECONDS) && version.exitValue() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    /** A node that takes messages, and answers requests. */
    static PythonNode receiver(Path folder, int port) throws IOException {
        return start(folder, port, List.of());
    }

    /** One that also sends messages with the numbers from {@code first} on. */
    static PythonNode sender(Path folder, int port, NodeId to, int toPort, int first, int count) throws IOException {
        return start(
                folder,
                port,
                List.of("--peer", "" + to, "--peer-port", "" + toPort, "--first", "" + first, "--count", "" + count));
    }

    private static PythonNode start(Path folder, int port, List<String> more) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                "python3",
                PROGRAM.toString(),
                "--id",
                ID.toString(),
                "--port",
                "" + port,
                "--secret",
                NodeProcess.SECRET,
                "--clock",
                folder.resolve("python-clock").toString(),
                "--log",
                log(folder).toString()));
        command.addAll(more);
        return new PythonNode(new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("python-out").toFile())
                .start());
    }

    private static Path log(Path folder) {
        return folder.resolve("python-log");
    }

    private static List<String> wordsAfter(Path folder, String event) throws IOException {
        return Files.exists(log(folder))
                ? Files.readAllLines(log(folder)).stream()
                        .filter(line -> line.startsWith(event + " "))
                        .map(line -> line.substring(event.length() + 1))
                        .toList()
                : List.of();
    }

    /** The events of one kind that all processes of the node have noted, each once. */
    static Set<String> once(Path folder, String event) throws IOException {
        Set<String> once = new HashSet<>();
        for (String words : wordsAfter(folder, event)) {
            if (!once.add(words)) {
                throw new IllegalStateException(event + " " + words + " happened twice");
            }
        }
        return once;
    }

    /** The outcomes of its messages by number. */
    static Map<Integer, String> outcomes(Path folder) throws IOException {
        Map<Integer, String> outcomes = new HashMap<>();
        for (String words : wordsAfter(folder, "outcome")) {
            int space = words.indexOf(' ');
            String former = outcomes.put(Integer.valueOf(words.substring(0, space)), words.substring(space + 1));
            if (former != null) {
                throw new IllegalStateException("two outcomes: " + words + ", " + former);
            }
        }
        return outcomes;
    }

    /** What it printed: nothing, unless it failed. */
    static String printed(Path folder) throws IOException {
        return Files.readString(folder.resolve("python-out"));
    }

    boolean alive() {
        return process.isAlive();
    }

    /** kill -9. */
    @Override
    public void close() {
        process.destroyForcibly().onExit().orTimeout(10, TimeUnit.SECONDS).join();
    }
}
