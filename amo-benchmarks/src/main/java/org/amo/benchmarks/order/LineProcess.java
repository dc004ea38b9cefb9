package org.amo.benchmarks.order;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.amo.base.DaemonThreads;
import org.amo.benchmarks.Children;

/** A program in a process of its own that is asked by lines and answers by lines. One thread uses it. */
public final class LineProcess implements AutoCloseable {
    private static final String QUIET = "-Djava.util.logging.config.class=org.amo.interceptors.logging.QuietLogging";

    private final String name;
    private final Process process;
    /** A thread reads the answers, so that waiting for one can end. */
    private final BlockingQueue<Optional<String>> lines = new LinkedBlockingQueue<>();

    private LineProcess(String name, Process process) {
        this.name = name;
        this.process = process;
        DaemonThreads.start("amo-bench-lines", this::read);
    }

    /**
     * Starts a program on this process's class path; its standard error goes to the log.
     *
     * @param name for messages
     */
    public static LineProcess start(String name, Class<?> main, List<String> jvmFlags, List<String> arguments, Path log)
            throws IOException {
        List<String> flags = new ArrayList<>(jvmFlags);
        flags.add(QUIET);
        List<String> command = Children.command(main, flags);
        command.addAll(arguments);
        return new LineProcess(name, Children.start(new ProcessBuilder(command).redirectError(log.toFile())));
    }

    /** Its first line is that it is ready. */
    public void awaitReady(long seconds) throws IOException, InterruptedException {
        String line = next(seconds);
        if (!line.equals("ready")) {
            throw new IOException(name + " said " + line);
        }
    }

    /** Sends a line, and returns the answer. */
    public String ask(String question, long seconds) throws IOException, InterruptedException {
        say(question);
        return next(seconds);
    }

    void say(String line) throws IOException {
        process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.US_ASCII));
        process.getOutputStream().flush();
    }

    /**
     * The next line.
     *
     * @throws IOException when the process ended, or said nothing for that long
     */
    String next(long seconds) throws IOException, InterruptedException {
        Optional<String> line = Optional.ofNullable(lines.poll(seconds, TimeUnit.SECONDS))
                .orElseThrow(() -> new IOException(name + " has said nothing for " + seconds + " s"));
        return line.orElseThrow(() -> new IOException(name + " ended"));
    }

    public long pid() {
        return process.pid();
    }

    private void read() {
        try (BufferedReader reader = process.inputReader(StandardCharsets.US_ASCII)) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.add(Optional.of(line));
            }
        } catch (IOException e) {
            // The process is gone, which the end of the lines says too.
        }
        lines.add(Optional.empty());
    }

    /** Ends the process, and waits for its end. */
    @Override
    public void close() {
        Children.end(process);
    }
}
