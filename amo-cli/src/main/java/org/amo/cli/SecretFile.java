package org.amo.cli;

import java.io.UncheckedIOException;
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
}
