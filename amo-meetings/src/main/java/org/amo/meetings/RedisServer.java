package org.amo.meetings;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A Redis of its own for a test, on a free port of the loopback address and in a folder of the test, from the program that this machine
 * has installed. One thread owns it.
 */
public final class RedisServer implements AutoCloseable {
    private static final long START_SECONDS = 30;
    private static final long POLL_MILLIS = 5;

    private final Path program;
    private final Path folder;
    private final List<String> settings;
    private final int port;
    private Process process;

    private RedisServer(Path program, Path folder, List<String> settings) throws IOException {
        this.program = program;
        this.folder = folder;
        this.settings = List.copyOf(settings);
        port = FreePort.find();
        process = launch();
    }

    /** Whether this machine has its program. */
    public static boolean isInstalled() {
        return program().isPresent();
    }

    /**
     * Starts it, and returns when it answers.
     *
     * @param folder of its files
     * @param settings as on its command line, for instance {@code --appendonly yes}
     * @throws IOException with its last words
     */
    public static RedisServer start(Path folder, String... settings) throws IOException {
        return new RedisServer(program().orElseThrow(), folder.toRealPath(), List.of(settings));
    }

    /** Starts it again, after {@link #kill} or {@link #close}. */
    public void start() throws IOException {
        process = launch();
    }

    private Process launch() throws IOException {
        List<String> command = new ArrayList<>(List.of(
                program.toString(),
                "--port",
                Integer.toString(port),
                "--bind",
                "127.0.0.1",
                "--dir",
                folder.toString(),
                "--save",
                ""));
        command.addAll(settings);
        Path log = folder.resolve("log");
        Process launched = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (!answers()) {
            if (!launched.isAlive() || System.nanoTime() > end) {
                launched.destroyForcibly();
                throw new IOException("redis-server does not answer: " + Files.readString(log));
            }
            try {
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            } catch (InterruptedException e) {
                launched.destroyForcibly();
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
        }
        return launched;
    }

    private boolean answers() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(START_SECONDS));
            socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
            byte[] answer = socket.getInputStream().readNBytes(7);
            // While it reads its files, it answers with an error.
            return new String(answer, StandardCharsets.US_ASCII).equals("+PONG\r\n");
        } catch (IOException e) {
            return false;
        }
    }

    public int port() {
        return port;
    }

    /** SIGKILL. Returns when it is gone. */
    public void kill() {
        process.destroyForcibly()
                .onExit()
                .orTimeout(START_SECONDS, TimeUnit.SECONDS)
                .join();
    }

    /** SIGSTOP: connections stay open, and nothing answers, until {@link #resume}. */
    public void pause() throws IOException {
        Signals.stop(List.of(process.toHandle()));
    }

    /** Lets it go on. */
    public void resume() throws IOException {
        Signals.goOn(List.of(process.toHandle()));
    }

    /** SIGKILL: its folder is the test's. */
    @Override
    public void close() {
        kill();
    }

    private static Optional<Path> program() {
        return Arrays.stream(
                        Optional.ofNullable(System.getenv("PATH")).orElse("").split(File.pathSeparator))
                .map(folder -> Path.of(folder, "redis-server"))
                .filter(Files::isExecutable)
                .findFirst();
    }
}
