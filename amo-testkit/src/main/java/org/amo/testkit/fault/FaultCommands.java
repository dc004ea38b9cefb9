package org.amo.testkit.fault;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A test's side of the file that a replica was given as {@code -Damo.faultFile}: tells the running replica to make
 * faults. The replica obeys within some 20 ms, and says each command in its log. One thread owns it.
 *
 * <p>A line a command: {@code arm POINT:N:ACTION[:MILLIS]}, {@code clock MILLIS} or {@code sync-fails}.
 */
public final class FaultCommands {
    private final Path file;
    private long clockMillis;

    /** @param file need not exist */
    public FaultCommands(Path file) {
        this.file = file;
    }

    /** The file to name in the replica's properties. */
    public Path file() {
        return file;
    }

    /**
     * Empties the file. Must be called before each start of the replica; otherwise it would obey the commands of an
     * earlier life again. Only its clock stays as wrong as it was.
     */
    public void renew() throws IOException {
        Files.writeString(file, clockLine(), StandardCharsets.UTF_8);
    }

    /** Adds a fault; the point's passages are counted from the moment when the replica reads it. */
    public void arm(FaultRule rule) throws IOException {
        append("arm " + rule + "\n");
    }

    /** The replica's wall clock is off by so much from now on. */
    public void clock(long millis) throws IOException {
        clockMillis = millis;
        append(clockLine());
    }

    /** From now on no file of the replica's log can be forced to disk. */
    public void failSync() throws IOException {
        append("sync-fails\n");
    }

    /** How far the replica's clock is off. */
    public long clockMillis() {
        return clockMillis;
    }

    private String clockLine() {
        return "clock " + clockMillis + "\n";
    }

    private void append(String line) throws IOException {
        Files.writeString(file, line, StandardCharsets.UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
}
