package org.amo.lab.cluster;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.amo.base.DaemonThreads;
import org.amo.cli.CliException;

/**
 * A process of the demo, leashed to this one: its standard input stays open as long as we live, and
 * {@link ParentWatch} in it stops when that ends.
 */
public final class Child {
    /** Begins the line that a program of amo ends with. */
    private static final String REASON = "amo: ";

    private static final int LAST_LINES = 20;

    private final String name;
    private final Process process;
    private final Path log;

    private Child(String name, Process process, Path log) {
        this.name = name;
        this.process = process;
        this.log = log;
    }

    /** Starts it with its output going to a file. */
    public static Child quiet(String name, List<String> words, Path log) {
        return start(name, new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(log.toFile()), log);
    }

    /** Starts it with its standard output going to a listener, line by line, and its errors to a file. */
    public static Child talking(String name, List<String> words, Path log, Consumer<String> listener) {
        Child child = start(name, new ProcessBuilder(words).redirectError(log.toFile()), log);
        DaemonThreads.start("amo-output-" + name, () -> read(child.process, listener));
        return child;
    }

    public String name() {
        return name;
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    public int exitCode() {
        return process.exitValue();
    }

    /** As {@code kill -9} does. */
    public void kill() {
        process.destroyForcibly();
    }

    /** As {@code kill -STOP} does: until {@link #resume} the process stands still and does not answer. */
    public void pause() {
        signal("-STOP");
    }

    public void resume() {
        signal("-CONT");
    }

    /** Lets a virtual machine dump its threads into its output, and go on. */
    public void dumpThreads() {
        signal("-QUIT");
    }

    private void signal(String name) {
        // The shell's own: a bare machine has no program of that name.
        ExternalCommand.run("sh", "-c", "kill " + name + " " + process.pid());
    }

    /** As {@code kill} does. */
    public void stop() {
        process.destroy();
    }

    /** Lets go of it: it ends as if we had. */
    public void dropLeash() throws IOException {
        process.getOutputStream().close();
    }

    /** @return whether it ended in time */
    public boolean awaitEnd(long millis) {
        try {
            return process.waitFor(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Why it ended, if it said so at the end; else the last thing it said. For a message. */
    public String lastWords() {
        try {
            List<String> lines = Files.readAllLines(log, Charset.defaultCharset());
            // Other threads may print a line behind it.
            for (int i = lines.size() - 1; i >= Math.max(0, lines.size() - LAST_LINES); i--) {
                if (lines.get(i).startsWith(REASON)) {
                    return lines.get(i);
                }
            }
            for (int i = lines.size() - 1; i >= 0; i--) {
                // The line that names the exception says more than the end of its trace.
                String line = lines.get(i).strip();
                if (!line.isEmpty() && !line.startsWith("at ") && !line.startsWith("...")) {
                    return line;
                }
            }
        } catch (IOException e) {
            return "its output cannot be read";
        }
        return "it printed nothing";
    }

    private static Child start(String name, ProcessBuilder builder, Path log) {
        try {
            return new Child(name, builder.start(), log);
        } catch (IOException e) {
            throw CliException.environment("cannot start a process (" + e.getMessage() + ")");
        }
    }

    private static void read(Process process, Consumer<String> listener) {
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(process.getInputStream(), Charset.defaultCharset()))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                listener.accept(line);
            }
        } catch (IOException | UncheckedIOException e) {
            // The process ended, and with it its output.
            return;
        }
    }
}
