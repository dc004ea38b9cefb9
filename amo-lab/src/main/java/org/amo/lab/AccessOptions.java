package org.amo.lab;

import java.nio.file.Path;
import java.util.Optional;
import org.amo.cli.CliException;
import org.amo.cli.SecretFile;
import org.amo.cli.wrap.TlsOptions;
import org.amo.core.order.Member;
import org.amo.kv.KvAccess;
import org.amo.replication.service.AmoTls;
import picocli.CommandLine.Mixin;
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
            description = "A file with the cluster's secret, the same everywhere. This, or TLS, or --insecure.")
    private Optional<Path> secretFile = Optional.empty();

    @Mixin
    private TlsOptions tls = new TlsOptions();

    @Option(
            names = "--insecure",
            description = "No secret and no TLS: any process of this machine can read and write. All addresses must"
                    + " be of this machine.")
    private boolean insecure;

    KvAccess access() {
        try {
            Member.parseList(coordinators);
        } catch (IllegalArgumentException e) {
            throw CliException.user("--coordinators: " + e.getMessage());
        }
        boolean isProtected = secretFile.isPresent() || tls.isChosen();
        if (isProtected == insecure) {
            throw CliException.user(
                    "say --secret-file FILE, or --tls-key-store FILE, or --insecure, the same as everywhere in the cluster");
        }
        try {
            return new KvAccess(coordinators, secretFile.map(SecretFile::read), certificates());
        } catch (IllegalArgumentException e) {
            throw CliException.user(String.valueOf(e.getMessage()));
        }
    }

    private Optional<AmoTls> certificates() {
        return tls.files()
                .map(files -> KvAccess.certificates(files.keyStore(), files.trustStore(), files.keyPassword()));
    }
}
