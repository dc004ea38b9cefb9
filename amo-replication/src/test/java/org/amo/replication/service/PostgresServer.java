package org.amo.replication.service;

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
import org.amo.replication.FreePorts;

/** A PostgreSQL of its own, on a free port and in a folder of the test, from what this machine has installed. */
final class PostgresServer implements AutoCloseable {
    private static final Path DEBIAN = Path.of("/usr/lib/postgresql");
    private static final int START_SECONDS = 30;

    private final Path programs;
    private final Path data;
    private final int port;

    private PostgresServer(Path programs, Path data, int port) {
        this.programs = programs;
        this.data = data;
        this.port = port;
    }

    static boolean isInstalled() {
        return programs().isPresent();
    }

    static PostgresServer start(Path folder) throws IOException {
        Path data = Files.createDirectory(folder.resolve("data"));
        if (isRoot()) {
            // It does not run as root.
            run(List.of("chown", "postgres", data.toString()));
            run(List.of("chmod", "a+x", folder.toString()));
        }
        PostgresServer server = new PostgresServer(
                programs().orElseThrow(), data, FreePorts.find(1).get(0));
        server.postgres("initdb", "--pgdata=" + data, "--auth=trust", "--username=amo", "--no-sync");
        server.postgres(
                "pg_ctl",
                "start",
                "--wait",
                "--timeout=" + START_SECONDS,
                "--pgdata=" + data,
                "--log=" + data.resolve("log"),
                "--options=-p " + server.port + " -h 127.0.0.1 -c unix_socket_directories=");
        return server;
    }

    String url() {
        return "jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=amo";
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
