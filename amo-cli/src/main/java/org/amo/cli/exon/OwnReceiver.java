package org.amo.cli.exon;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.amo.cli.Amo;
import org.amo.cli.CliException;
import org.amo.cli.HostPort;
import org.amo.cli.wrap.AmoClassPath;

/** A receiver in a process of its own on this machine. It ends with this process, also if that is killed. */
final class OwnReceiver implements AutoCloseable {
    private static final String LISTENS = "listens at ";

    private final Process process;
    private final HostPort address;

    private OwnReceiver(Process process, HostPort address) {
        this.process = process;
        this.address = address;
    }

    /** With the same secret as the sender. It takes lines, of which there are none, since that needs no folder. */
    static OwnReceiver start(ExonAccess access) {
        access.insecure |= access.secretFile.isEmpty(); // on the loopback alone
        List<String> words = AmoClassPath.java("-XX:+UseSerialGC");
        words.addAll(List.of(
                "-cp",
                String.join(File.pathSeparator, AmoClassPath.all()),
                Amo.class.getName(),
                "exon",
                "recv",
                "--lines",
                "--port",
                "0",
                "--until-eof"));
        words.addAll(access.secretFile
                .map(file -> List.of("--secret-file", file.toString()))
                .orElse(List.of("--insecure")));
        try {
            Process process = new ProcessBuilder(words).start();
            // recv --lines tells its address on standard error.
            BufferedReader told = process.errorReader(StandardCharsets.UTF_8);
            String line = told.readLine();
            if (line == null || !line.startsWith(LISTENS)) {
                process.destroyForcibly();
                throw CliException.environment("the receiver on this machine did not start: " + line);
            }
            return new OwnReceiver(process, new HostPort.Converter().convert(line.substring(LISTENS.length())));
        } catch (IOException e) {
            throw CliException.environment("cannot start a receiver on this machine (" + e.getMessage() + ")");
        }
    }

    HostPort address() {
        return address;
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(5, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
