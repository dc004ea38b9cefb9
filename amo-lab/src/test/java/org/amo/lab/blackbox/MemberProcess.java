package org.amo.lab.blackbox;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.amo.core.order.Member;

/** One replica and its lives. The test's thread owns it. */
public final class MemberProcess {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final String ID = "\"id\":\"";
    private static final long END_SECONDS = 10;
    private static final long MOST_SECONDS = 30;

    private final Member member;
    private final Path folder;
    private Optional<Process> process = Optional.empty();
    private int lives;

    MemberProcess(Member member, Path folder) {
        this.member = member;
        this.folder = folder;
    }

    /**
     * Something that a replica really executed.
     *
     * @param value the reply in hexadecimal
     */
    public record Executed(String id, long position, String value) {}

    public Member member() {
        return member;
    }

    public String id() {
        return member.id();
    }

    public Path reference() {
        return folder.resolve(id() + ".ior");
    }

    Path history() {
        return history(Math.max(1, lives));
    }

    Path nextHistory() {
        return history(lives + 1);
    }

    private Path history(int life) {
        return folder.resolve("history-" + id() + "-" + life + ".jsonl");
    }

    Path output() {
        return folder.resolve("output-" + id() + "-" + lives + ".log");
    }

    void start(List<String> words) {
        lives++;
        try {
            process = Optional.of(new ProcessBuilder(words)
                    .redirectErrorStream(true)
                    .redirectOutput(output().toFile())
                    .start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public boolean isUp() {
        return process.isPresent() && process.get().isAlive();
    }

    /** Whether its present life has ended, and neither {@link #kill} nor {@link #exitCode} was asked for that. */
    boolean hasEnded() {
        return process.isPresent() && !process.get().isAlive();
    }

    /** {@code kill -9}, and waits until the system has taken the process away. */
    public void kill() {
        process.ifPresent(running -> {
            running.destroyForcibly();
            awaitEnd(running);
        });
        process = Optional.empty();
    }

    /** Waits for the process to end by itself. */
    int exitCode() {
        Process ending = process.orElseThrow();
        try {
            if (!ending.waitFor(MOST_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("member " + id() + " does not end: " + said());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process = Optional.empty();
        return ending.exitValue();
    }

    /** From now on it answers nobody, and keeps its connections. */
    void pause() {
        signal("-STOP");
    }

    void resume() {
        signal("-CONT");
    }

    Optional<Status> ask() {
        return isUp() ? Status.ask(member) : Optional.empty();
    }

    public Status status() {
        return ask().orElseThrow(() -> new AssertionError("member " + id() + " does not answer: " + said()));
    }

    /** What its present life has executed so far. */
    public List<Executed> executed() {
        return executedWith("", history());
    }

    /** What it executed in this life and in earlier ones. */
    List<Executed> executedInAnyLife() {
        List<Executed> events = new ArrayList<>();
        for (int life = 1; life <= lives; life++) {
            // A life that ended early may have left none.
            if (Files.exists(history(life))) {
                events.addAll(executedWith("", history(life)));
            }
        }
        return events;
    }

    /** The executions of one request. */
    List<Executed> executed(String requestId) {
        return executedWith(requestId, history()).stream()
                .filter(event -> event.id().equals(requestId))
                .toList();
    }

    /** Of those lines that hold this text; the others are not taken apart. */
    private static List<Executed> executedWith(String text, Path history) {
        List<Executed> events = new ArrayList<>();
        try {
            for (String line : Files.readAllLines(history)) {
                if (isExecution(line) && line.contains(text)) {
                    JsonNode event = MAPPER.readTree(line);
                    events.add(new Executed(
                            event.path("id").asText(),
                            event.path("pos").asLong(),
                            event.path("value").asText()));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return events;
    }

    /** The ids of all of them. Tests compare these after each method, so that the lines are not taken apart. */
    List<String> executedIds() {
        try {
            return Files.readAllLines(history()).stream()
                    .filter(line -> isExecution(line))
                    .map(line -> idIn(line))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A line may be half written while this reads. */
    private static boolean isExecution(String line) {
        return line.endsWith("}") && line.contains("\"type\":\"exec\"");
    }

    private static String idIn(String line) {
        int begin = line.indexOf(ID) + ID.length();
        return line.substring(begin, line.indexOf('"', begin));
    }

    public long executions(String requestId) {
        return executed(requestId).size();
    }

    public String said() {
        try {
            return Files.exists(output()) ? Files.readString(output()) : "nothing";
        } catch (IOException e) {
            return e.toString();
        }
    }

    private void signal(String signal) {
        try {
            Process kill = new ProcessBuilder(
                            "sh",
                            "-c",
                            "kill " + signal + " " + process.orElseThrow().pid())
                    .start();
            awaitEnd(kill);
            assertEquals(0, kill.exitValue(), "kill " + signal);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void awaitEnd(Process running) {
        try {
            if (!running.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("process " + running.pid() + " does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
