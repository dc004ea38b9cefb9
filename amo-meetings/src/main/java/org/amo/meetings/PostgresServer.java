package org.amo.meetings;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL of its own for a test, on a free port of the loopback address and in a folder of the test, from the programs that this machine has
 * installed. As root it runs as the user {@code postgres}, since it refuses root. One thread owns it.
 */
public final class PostgresServer implements AutoCloseable {
    private static final Path DEBIAN = Path.of("/usr/lib/postgresql");
    private static final int START_SECONDS = 30;

    private final Path programs;
    private final Path data;
    private final List<String> settings;
    private final int port;

    private PostgresServer(Path programs, Path data, List<String> settings, int port) {
        this.programs = programs;
        this.data = data;
        this.settings = List.copyOf(settings);
        this.port = port;
    }

    /** Whether this machine has its programs. */
    public static boolean isInstalled() {
        return programs().isPresent();
    }

    /**
     * Makes a database in the folder and starts it.
     *
     * @param settings such as {@code fsync=on}, in the place of these: commits are not forced to the disk, since the kernel keeps them
     *     over the death of all processes
     * @throws IOException with the words of the program that failed
     */
    public static PostgresServer start(Path folder, String... settings) throws IOException {
        Path data = Files.createDirectory(folder.toRealPath().resolve("data"));
        if (isRoot()) {
            // It does not run as root.
            run(List.of("chown", "postgres", data.toString()));
            run(List.of("chmod", "a+x", folder.toString()));
        }
        PostgresServer server = new PostgresServer(programs().orElseThrow(), data, List.of(settings), FreePort.find());
        server.postgres("initdb", "--pgdata=" + data, "--auth=trust", "--username=amo", "--no-sync");
        server.start();
        return server;
    }

    /** Starts it again, after {@link #kill} or {@link #close}; it recovers first. */
    public void start() throws IOException {
        StringBuilder options = new StringBuilder();
        options.append("-p ").append(port).append(" -h 127.0.0.1 -c unix_socket_directories= -c fsync=off");
        settings.forEach(each -> options.append(" -c ").append(each));
        postgres(
                "pg_ctl",
                "start",
                "--wait",
                "--timeout=" + START_SECONDS,
                "--pgdata=" + data,
                "--log=" + data.resolve("log"),
                "--options=" + options);
    }

    /** SIGKILL to all of its processes. Returns when they are gone: one that was left would keep the next start from its memory. */
    public void kill() {
        // Again, since the first of them may have started another one meanwhile.
        for (List<ProcessHandle> all = processes(); !all.isEmpty(); all = processes()) {
            all.forEach(ProcessHandle::destroyForcibly);
            for (ProcessHandle each : all) {
                each.onExit().orTimeout(START_SECONDS, TimeUnit.SECONDS).join();
            }
        }
    }

    /** SIGSTOP to all of its processes: connections stay open, and nothing answers, until {@link #resume}. */
    public void pause() throws IOException {
        List<ProcessHandle> stopped = List.of();
        // Again, since the first of them may have started another one meanwhile.
        for (List<ProcessHandle> all = processes(); !stopped.containsAll(all); all = processes()) {
            Signals.stop(all);
            stopped = all;
        }
    }

    /** Lets them go on. */
    public void resume() throws IOException {
        Signals.goOn(processes());
    }

    /** Each of them works in its data folder. */
    private List<ProcessHandle> processes() {
        return ProcessHandle.allProcesses()
                .filter(each -> data.equals(workingFolder(each)))
                .toList();
    }

    private static @Nullable Path workingFolder(ProcessHandle process) {
        try {
            return Files.readSymbolicLink(Path.of("/proc", Long.toString(process.pid()), "cwd"));
        } catch (IOException e) {
            // It has ended, or is another user's.
            return null;
        }
    }

    /** For a driver, with the user that owns it. */
    public String url() {
        return "jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=amo";
    }

    public int port() {
        return port;
    }

    @Override
    public void close() throws IOException {
        postgres("pg_ctl", "stop", "--mode=immediate", "--pgdata=" + data);
    }

    private void postgres(String program, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        if (isRoot()) {
            command.addAll(List.of("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"));
        }
        command.add(programs.resolve(program).toString());
        command.addAll(List.of(arguments));
        run(command);
    }

    private static void run(List<String> command) throws IOException {
        Path said = Files.createTempFile("amo-postgres", ".log");
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(said.toFile())
                    .start();
            if (!process.waitFor(2 * START_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IOException(command + " did not end");
            }
            if (process.exitValue() != 0) {
                throw new IOException(command + ": " + Files.readString(said));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted: " + command, e);
        } finally {
            Files.delete(said);
        }
    }

    private static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }

    private static Optional<Path> programs() {
        Stream<Path> onPath = Arrays.stream(
                        Optional.ofNullable(System.getenv("PATH")).orElse("").split(File.pathSeparator))
                .map(Path::of);
        Stream<Path> versions = Stream.ofNullable(DEBIAN.toFile().listFiles())
                .flatMap(Arrays::stream)
                .map(version -> version.toPath().resolve("bin"));
        return Stream.concat(onPath, versions)
                .filter(folder ->
                        Files.isExecutable(folder.resolve("initdb")) && Files.isExecutable(folder.resolve("pg_ctl")))
                .findFirst();
    }
}
