package org.amo.scmp.udp;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A {@link LedgerServer} that can be killed. */
final class ServerProcess implements AutoCloseable {
    private final Process process;
    private final int port;

    private ServerProcess(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    static ServerProcess start(int port, Path state, Path ledger, long clockOffsetMicros) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Xshare:auto",
                        "-cp",
                        System.getProperty("java.class.path"),
                        LedgerServer.class.getName(),
                        Integer.toString(port),
                        state.toString(),
                        ledger.toString(),
                        Long.toString(clockOffsetMicros))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line = out.readLine();
        if (line == null) {
            process.destroyForcibly();
            throw new IOException("the server did not start");
        }
        return new ServerProcess(process, Integer.parseInt(line));
    }

    int port() {
        return port;
    }

    /** kill -9. */
    void kill() {
        process.destroyForcibly();
        try {
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                throw new IllegalStateException("the server survived kill -9");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        kill();
    }
}
