package org.amo.cli.wrap;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.amo.base.wire.Secrets;
import org.amo.cli.CliException;

/** Looks at files before a program starts, where a mistake is easier to explain than inside it. */
final class WrapFiles {
    private WrapFiles() {}

    static void checkSecret(Path file) {
        try {
            if (Files.readString(file).strip().getBytes(StandardCharsets.UTF_8).length < Secrets.LEAST_BYTES) {
                throw CliException.user("--secret-file " + file + " holds fewer than " + Secrets.LEAST_BYTES
                        + " bytes; make one, for example: openssl rand -hex 32 > " + file);
            }
        } catch (IOException e) {
            throw CliException.user("cannot read --secret-file " + file
                    + " as text; make one, for example: openssl rand -hex 32 > " + file);
        }
    }

    static Path folder(Path folder) {
        try {
            return Files.createDirectories(folder);
        } catch (IOException e) {
            throw CliException.environment("cannot make the folder " + folder.toAbsolutePath() + " (" + e
                    + "); give --data a folder that this user may write");
        }
    }
}
