package org.amo.benchmarks.fts;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A bank server in a JVM of its own, with its processor time. */
final class ServerProcess implements AutoCloseable {
    private static final double CLOCK_TICKS_PER_SECOND = 100;

    private final Process process;
    private final Path reference;

    private ServerProcess(Process process, Path reference) {
        this.process = process;
        this.reference = reference;
    }

    /** Starts {@code BankServer}; its output goes to a file beside the reference. */
    static ServerProcess start(Path folder, String name, List<String> jvmFlags, Map<String, String> properties)
            throws IOException {
        Path reference = folder.resolve(name + ".ior");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home", ""), "bin", "java").toString());
        command.addAll(jvmFlags);
        properties.forEach((key, value) -> command.add("-D" + key + "=" + value));
        command.add("-cp");
        command.add(System.getProperty("java.class.path", ""));
        command.add("org.amo.examples.bank.BankServer");
        command.add(reference.toString());
        File log = folder.resolve(name + ".log").toFile();
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log)
                .start();
        return new ServerProcess(process, reference);
    }

    /** The reference that the server publishes, within half a minute. */
    String awaitReference() throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!Files.exists(reference)) {
            if (!process.isAlive() || System.nanoTime() > end) {
                throw new IOException("no server: " + reference + "; see its log beside it");
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
        return Files.readString(reference, StandardCharsets.UTF_8).strip();
    }

    /** Processor seconds of the process so far; empty where there is no /proc. */
    Optional<Double> cpuSeconds() {
        return cpuSeconds(process.pid());
    }

    static Optional<Double> cpuSeconds(long pid) {
        Path stat = Path.of("/proc", Long.toString(pid), "stat");
        try {
            String text = Files.readString(stat, StandardCharsets.UTF_8);
            // The fields after the command's name, which may hold blanks but ends with the last parenthesis.
            String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ", -1);
            return Optional.of((Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / CLOCK_TICKS_PER_SECOND);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    long pid() {
        return process.pid();
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
