package org.amo.lab.blackbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A program that ran to its end.
 *
 * @param exitCode -1 when it did not end in time and was killed
 */
record ProgramRun(int exitCode, String out, String err) {
    private static final long MOST_SECONDS = 40;
    private static final int KILLED = -1;

    static ProgramRun of(List<String> words) {
        try {
            Path out = Files.createTempFile("amo-out", ".txt");
            Path err = Files.createTempFile("amo-err", ".txt");
            try {
                Process process = new ProcessBuilder(words)
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile())
                        .start();
                boolean ended = process.waitFor(MOST_SECONDS, TimeUnit.SECONDS);
                // Not only it: what it started must not stay either.
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
                return new ProgramRun(
                        ended ? process.exitValue() : KILLED, Files.readString(out), Files.readString(err));
            } finally {
                Files.delete(out);
                Files.delete(err);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** What it said on standard error, without blank lines. */
    List<String> errorLines() {
        return err.lines().filter(line -> !line.isBlank()).toList();
    }
}
