package org.amo.cli.wrap;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.amo.cli.CliException;
import picocli.CommandLine.Option;

/** Certificates in the place of a secret: {@code --tls-key-store}, {@code --tls-trust-store}, {@code --tls-password-file}. */
final class TlsOptions {
    @Option(
            names = "--tls-key-store",
            paramLabel = "FILE",
            description =
                    "This member's key and certificate (PKCS12 or JKS), which names ID.GROUP as a DNS name; members then"
                            + " speak TLS. Default: none.")
    private Optional<Path> keyStore = Optional.empty();

    @Option(
            names = "--tls-trust-store",
            paramLabel = "FILE",
            description = "The certificates of the issuers that members trust. Default: none.")
    private Optional<Path> trustStore = Optional.empty();

    @Option(
            names = "--tls-password-file",
            paramLabel = "FILE",
            description = "Holds the password of both stores. Default: none.")
    private Optional<Path> passwordFile = Optional.empty();

    /** Whether TLS was chosen. */
    boolean isChosen() {
        return keyStore.isPresent() || trustStore.isPresent() || passwordFile.isPresent();
    }

    /**
     * Properties for the server's process; empty without TLS.
     *
     * @throws CliException when one of the three is missing or cannot be read
     */
    Map<String, String> properties() {
        if (!isChosen()) {
            return Map.of();
        }
        return Map.of(
                "amo.tls.keyStore", readable("--tls-key-store", keyStore),
                "amo.tls.trustStore", readable("--tls-trust-store", trustStore),
                "amo.tls.passwordFile", readable("--tls-password-file", passwordFile));
    }

    private static String readable(String option, Optional<Path> file) {
        Path named = file.orElseThrow(() -> CliException.user("TLS between members needs --tls-key-store,"
                + " --tls-trust-store and --tls-password-file together; add " + option));
        if (!Files.isReadable(named) || Files.isDirectory(named)) {
            throw CliException.user("cannot read " + option + " " + named + "; correct it");
        }
        return named.toAbsolutePath().toString();
    }
}
