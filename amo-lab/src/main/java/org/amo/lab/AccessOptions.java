package org.amo.lab;

import java.nio.file.Path;
import java.util.Optional;
import org.amo.cli.CliException;
import org.amo.cli.SecretFile;
import org.amo.core.order.Member;
import org.amo.examples.kv.KvAccess;
import org.amo.replication.service.AmoTls;
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

    @Option(
            names = "--tls-key-store",
            paramLabel = "FILE",
            description =
                    "This process's key and certificate (PKCS12 or JKS), which names ID.kv as a DNS name, and the host; all"
                            + " connections then speak TLS. Default: none.")
    private Optional<Path> keyStore = Optional.empty();

    @Option(
            names = "--tls-trust-store",
            paramLabel = "FILE",
            description = "The certificates of the issuers that the processes trust. Default: none.")
    private Optional<Path> trustStore = Optional.empty();

    @Option(
            names = "--tls-password-file",
            paramLabel = "FILE",
            description = "Holds the password of both stores. Default: none.")
    private Optional<Path> passwordFile = Optional.empty();

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
        boolean isProtected = secretFile.isPresent() || isTls();
        if (isProtected == insecure) {
            throw CliException.user(
                    "say --secret-file FILE, or --tls-key-store FILE, or --insecure, the same as everywhere in the cluster");
        }
        try {
            return new KvAccess(coordinators, secretFile.map(SecretFile::read), tls());
        } catch (IllegalArgumentException e) {
            throw CliException.user(String.valueOf(e.getMessage()));
        }
    }

    private boolean isTls() {
        return keyStore.isPresent() || trustStore.isPresent() || passwordFile.isPresent();
    }

    private Optional<AmoTls> tls() {
        if (!isTls()) {
            return Optional.empty();
        }
        String password = SecretFile.text("--tls-password-file", named("--tls-password-file", passwordFile));
        return Optional.of(KvAccess.certificates(
                named("--tls-key-store", keyStore), named("--tls-trust-store", trustStore), password));
    }

    private static Path named(String option, Optional<Path> file) {
        return file.orElseThrow(() -> CliException.user(
                "TLS needs --tls-key-store, --tls-trust-store and --tls-password-file together; add " + option));
    }
}
