package org.amo.lab.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.stream.Stream;
import org.amo.cli.CliException;
import org.amo.net.CheckedFile;

/** Where one run keeps its files: below the current folder, so that forcing a log to disk means a disk. */
public final class WorkFolder {
    /** For the help of a command that makes one. */
    public static final String HELP = "The files of a run are below .amo in the current folder; where that cannot be"
            + " written, in a new folder for temporary files.";

    private static final Path CURRENT = Path.of(".amo");
    private static final int SECRET_BYTES = 32;

    private final Path path;

    private WorkFolder(Path path) {
        this.path = path;
    }

    /** @param kind of run, for its name */
    public static WorkFolder create(String kind) {
        Path below = CURRENT.toAbsolutePath().normalize();
        try {
            Path folder = below.resolve(kind + "-" + ProcessHandle.current().pid());
            CheckedFile.deleteTree(folder);
            return new WorkFolder(Files.createDirectories(folder));
        } catch (IOException notHere) {
            return temporary(kind);
        }
    }

    /** Readable by this user alone; other users' runs have theirs beside it. */
    private static WorkFolder temporary(String kind) {
        try {
            return new WorkFolder(Files.createTempDirectory("amo-" + kind + "-"));
        } catch (IOException e) {
            throw CliException.environment(
                    "cannot make a folder for the run (" + e.getMessage() + "); run it where this user may write");
        }
    }

    /** A folder in it, for one of several groups. */
    public WorkFolder inside(String name) {
        try {
            return new WorkFolder(Files.createDirectories(path.resolve(name)));
        } catch (IOException e) {
            throw CliException.environment(
                    "cannot make a folder in " + path + " (" + e.getMessage() + "); run it where this user may write");
        }
    }

    public Path path() {
        return path;
    }

    public Path file(String name) {
        return path.resolve(name);
    }

    /** A new key for the group, readable by this user alone. */
    public Path secret() {
        byte[] secret = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(secret);
        Path file = file("secret");
        try {
            CheckedFile.createForOwner(file);
            return Files.writeString(file, HexFormat.of().formatHex(secret));
        } catch (IOException e) {
            throw CliException.environment("cannot write " + file + " (" + e.getMessage() + ")");
        }
    }

    /** Removes it, and the folder .amo around it if that is empty then. */
    public void delete() {
        try {
            CheckedFile.deleteTree(path);
            Path parent = path.getParent();
            if (parent != null && parent.endsWith(CURRENT) && isEmpty(parent)) {
                Files.delete(parent);
            }
        } catch (IOException | UncheckedIOException e) {
            // Left behind; the next run has a folder of its own.
            return;
        }
    }

    private static boolean isEmpty(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.findAny().isEmpty();
        }
    }
}
