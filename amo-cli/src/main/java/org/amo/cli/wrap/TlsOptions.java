package org.amo.cli.wrap;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.amo.cli.CliException;
import org.amo.cli.SecretFile;
import org.amo.core.order.TlsFiles;
import picocli.CommandLine.Option;

/** Certificates in the place of a secret: {@code --tls-key-store}, {@code --tls-trust-store}, {@code --tls-password-file}. */
public final class TlsOptions {
    private static final String PASSWORD_FILE = "--tls-password-file";

    @Option(
            names = "--tls-key-store",
            paramLabel = "FILE",
            description =
                    "The key and certificate of this process (PKCS12 or JKS), which names ID.GROUP as a DNS name; for amo kv"
                            + " ID.kv, and the host. The processes then speak TLS. Default: none.")
    private Optional<Path> keyStore = Optional.empty();

    @Option(
            names = "--tls-trust-store",
            paramLabel = "FILE",
            description = "The certificates of the issuers that the processes trust. Default: none.")
    private Optional<Path> trustStore = Optional.empty();

    @Option(
            names = PASSWORD_FILE,
            paramLabel = "FILE",
            description = "Holds the password of both stores. Default: none.")
    private Optional<Path> passwordFile = Optional.empty();

    /** Whether TLS was chosen. */
    public boolean isChosen() {
        return keyStore.isPresent() || trustStore.isPresent() || passwordFile.isPresent();
    }

    /**
     * The files, and the password in one of them; empty without TLS.
     *
     * @throws CliException when one of the three is missing or cannot be read
     */
    public Optional<TlsFiles> files() {
        if (!isChosen()) {
            return Optional.empty();
        }
        Path key = readable("--tls-key-store", keyStore);
        Path trust = readable("--tls-trust-store", trustStore);
        String password = SecretFile.text(PASSWORD_FILE, readable(PASSWORD_FILE, passwordFile));
        return Optional.of(new TlsFiles(key, password, trust, password));
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
                "amo.tls.keyStore", readable("--tls-key-store", keyStore).toString(),
                "amo.tls.trustStore", readable("--tls-trust-store", trustStore).toString(),
                "amo.tls.passwordFile", readable(PASSWORD_FILE, passwordFile).toString());
    }

    private static Path readable(String option, Optional<Path> file) {
        Path named = file.orElseThrow(() -> CliException.user(
                "TLS needs --tls-key-store, --tls-trust-store and --tls-password-file together; add " + option));
        if (!Files.isReadable(named) || Files.isDirectory(named)) {
            throw CliException.user("cannot read " + option + " " + named + "; correct it");
        }
        return named.toAbsolutePath();
    }
}
