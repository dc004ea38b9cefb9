package org.amo.lab;

import java.nio.file.Path;
import java.util.Optional;
import org.amo.cli.CliException;
import org.amo.cli.SecretFile;
import org.amo.core.order.Member;
import org.amo.examples.kv.KvAccess;
import picocli.CommandLine.Option;

/** How to reach the cluster, the same in every {@code amo kv} command. */
final class AccessOptions {
    @Option(
            names = "--coordinators",
            required = true,
            paramLabel = "LIST",
            description =
                    "All coordinators: ID=HOST:ORDERPORT/CLIENTPORT,... ; 3 or 5 of them, the same text everywhere.")
    private String coordinators = "";

    @Option(
            names = "--secret-file",
            paramLabel = "FILE",
            description = "A file with the cluster's secret, the same everywhere. Either this or --insecure.")
    private Optional<Path> secretFile = Optional.empty();

    @Option(names = "--insecure", description = "No secret: any process that reaches the ports can read and write.")
    private boolean insecure;

    KvAccess access() {
        try {
            Member.parseList(coordinators);
        } catch (IllegalArgumentException e) {
            throw CliException.user("--coordinators: " + e.getMessage());
        }
        if (secretFile.isPresent() == insecure) {
            throw CliException.user(
                    "say either --secret-file FILE or --insecure, the same as everywhere in the cluster");
        }
        return new KvAccess(coordinators, secretFile.map(SecretFile::read));
    }
}
