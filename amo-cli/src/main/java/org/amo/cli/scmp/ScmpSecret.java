package org.amo.cli.scmp;

import java.nio.file.Path;
import org.amo.base.wire.Secrets;
import org.amo.cli.SecretFile;

/** The key of a server, from the file that {@code --secret-file} names. */
final class ScmpSecret {
    private static final String PURPOSE = "amo scmp 1|server";

    private ScmpSecret() {}

    /** @throws org.amo.cli.CliException if there is no secret in the file */
    static byte[] key(Path file) {
        return Secrets.key(SecretFile.read(file), PURPOSE);
    }
}
