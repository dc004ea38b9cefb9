package org.amo.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.amo.replication.service.AmoReplica;

/** The file that {@code --secret-file} names. */
public final class SecretFile {
    private SecretFile() {}

    /**
     * The secret in it.
     *
     * @throws CliException if there is none
     */
    public static String read(Path file) {
        try {
            return AmoReplica.readSecret(file);
        } catch (IllegalArgumentException e) {
            throw CliException.user("--secret-file: " + e.getMessage() + " > " + file);
        } catch (UncheckedIOException e) {
            throw CliException.user("cannot read --secret-file " + file
                    + " as text; make one, for example: openssl rand -hex 32 > " + file);
        }
    }

    /**
     * Checks a file that another process will read.
     *
     * @throws CliException if there is no secret in it, or if it is a file descriptor, which no other process has
     */
    public static void readForAnotherProcess(Path file) {
        if (file.toString().matches("fd:[0-9]+")) {
            throw CliException.user(
                    "--secret-file " + file + ": the program behind -- does not have this descriptor; name a"
                            + " file, for example one of systemd's LoadCredential");
        }
        read(file);
    }

    /**
     * All text of another file that holds a secret, but for white space around it.
     *
     * @throws CliException if it cannot be read
     */
    public static String text(String option, Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw CliException.user("cannot read " + option + " " + file + "; correct it");
        }
    }
}
