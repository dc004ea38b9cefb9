package org.amo.cli.wrap;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.amo.cli.CliException;

/** Looks at files before a program starts, where a mistake is easier to explain than inside it. */
final class WrapFiles {
    private WrapFiles() {}

    static Path folder(Path folder) {
        try {
            return Files.createDirectories(folder);
        } catch (IOException e) {
            throw CliException.environment("cannot make the folder " + folder.toAbsolutePath() + " (" + e
                    + "); give --data a folder that this user may write");
        }
    }
}
