package org.amo.benchmarks.fts;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.amo.benchmarks.Children;
import org.amo.benchmarks.ProcessTime;

/** A CORBA server in a JVM of its own, with its processor time. */
final class ServerProcess implements AutoCloseable {
    private static final long START_SECONDS = 90;

    private final Process process;
    private final Path reference;
    private final Path log;

    private ServerProcess(Process process, Path reference, Path log) {
        this.process = process;
        this.reference = reference;
        this.log = log;
    }

    /** Starts a server with the file for its reference as argument; its output goes to a file beside that. */
    static ServerProcess start(
            Class<?> main, Path folder, String name, List<String> jvmFlags, Map<String, String> properties)
            throws IOException {
        List<String> flags = new ArrayList<>(jvmFlags);
        properties.forEach((key, value) -> flags.add("-D" + key + "=" + value));
        List<String> command = Children.command(main, flags);
        return start(folder, name, reference -> {
            command.add(reference.toString());
            return command;
        });
    }

    /** @param commandFor a server that is told the file for its reference */
    static ServerProcess start(Path folder, String name, Function<Path, List<String>> commandFor) throws IOException {
        Path reference = folder.resolve(name + ".ior");
        List<String> command = commandFor.apply(reference);
        Path log = folder.resolve(name + ".log");
        Process process = Children.start(
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()));
        return new ServerProcess(process, reference, log);
    }

    /** The reference that the server publishes, within a minute and a half. */
    String awaitReference() throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (!Files.exists(reference)) {
            if (!process.isAlive() || System.nanoTime() > end) {
                String said = Files.readString(log, StandardCharsets.UTF_8).strip();
                throw new IOException(
                        "server " + reference.getFileName() + " published no reference; it said: " + said);
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
        return Files.readString(reference, StandardCharsets.UTF_8).strip();
    }

    /** The file that the server was given. */
    Path reference() {
        return reference;
    }

    /** Processor seconds of the process so far; empty where there is no /proc. */
    Optional<Double> cpuSeconds() {
        return ProcessTime.cpuSeconds(process.pid());
    }

    long pid() {
        return process.pid();
    }

    @Override
    public void close() {
        Children.end(process);
    }
}
