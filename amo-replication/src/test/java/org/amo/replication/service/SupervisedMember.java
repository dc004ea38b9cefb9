package org.amo.replication.service;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** A member in a process of its own, started again whenever it ends, as a supervisor would. */
final class SupervisedMember {
    private static final long ANSWER_NANOS = 2_000_000_000L;

    private final List<String> words;
    private final List<String> said = new CopyOnWriteArrayList<>();
    private final List<Integer> exits = new CopyOnWriteArrayList<>();
    private volatile boolean over;
    private volatile Process process;

    SupervisedMember(Class<?> main, String... arguments) {
        List<String> command = new CopyOnWriteArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(arguments));
        words = command;
        process = start();
    }

    private Process start() {
        try {
            Process started =
                    new ProcessBuilder(words).redirectErrorStream(true).start();
            Thread reader = new Thread(() -> read(started), "supervisor");
            reader.setDaemon(true);
            reader.start();
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read(Process from) {
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(from.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                said.add(line);
            }
            exits.add(from.waitFor());
        } catch (IOException e) {
            exits.add(-1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (!over) {
            process = start();
        }
    }

    /** Its answer to a line on standard input: the next line that begins with "at ". */
    Optional<String> ask() {
        int before = said.size();
        try {
            process.getOutputStream().write('\n');
            process.getOutputStream().flush();
        } catch (IOException e) {
            return Optional.empty();
        }
        long end = System.nanoTime() + ANSWER_NANOS;
        while (System.nanoTime() < end) {
            for (int i = before; i < said.size(); i++) {
                if (said.get(i).startsWith("at ")) {
                    return Optional.of(said.get(i));
                }
            }
            Thread.onSpinWait();
        }
        return Optional.empty();
    }

    boolean hasSaid(String part) {
        return said.stream().anyMatch(line -> line.contains(part));
    }

    List<String> said() {
        return said;
    }

    List<Integer> exits() {
        return exits;
    }

    void end() {
        over = true;
        process.destroyForcibly();
    }
}
