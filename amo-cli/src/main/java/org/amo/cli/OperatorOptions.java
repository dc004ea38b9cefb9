package org.amo.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.TrustManager;
import org.amo.replication.rpc.RpcTls;
import org.amo.replication.tls.KeyStores;
import picocli.CommandLine.Option;

/** How an operator's command proves itself to a group. */
final class OperatorOptions {
    @Option(names = "--secret-file", paramLabel = "FILE", description = "The group's secret.")
    private Optional<Path> secretFile = Optional.empty();

    @Option(names = "--insecure", description = "The group runs without a secret.")
    private boolean insecure;

    @Option(
            names = "--tls-trust-store",
            paramLabel = "FILE",
            description =
                    "For members of a Java service that speak TLS: the certificates of their issuers (PKCS12 or JKS).")
    private Optional<Path> trustStore = Optional.empty();

    @Option(
            names = "--tls-key-store",
            paramLabel = "FILE",
            description = "The same, for members that ask for certificates: a client's key and certificate.")
    private Optional<Path> keyStore = Optional.empty();

    @Option(names = "--tls-password-file", paramLabel = "FILE", description = "Holds the password of both stores.")
    private Optional<Path> passwordFile = Optional.empty();

    /**
     * The secret, if the group has one.
     *
     * @throws CliException unless exactly one of the two options says which
     */
    Optional<String> secret() {
        if (secretFile.isPresent() == insecure && keyStore.isEmpty()) {
            throw CliException.user("say either --secret-file FILE or --insecure, as for the members");
        }
        return secretFile.map(SecretFile::read);
    }

    /**
     * TLS to the members of a Java service, if it was chosen.
     *
     * @throws CliException if a store cannot be used
     */
    Optional<RpcTls> tls() {
        if (trustStore.isEmpty() && keyStore.isEmpty()) {
            if (passwordFile.isPresent()) {
                throw CliException.user("--tls-password-file is of use only beside --tls-trust-store; add it");
            }
            return Optional.empty();
        }
        String password = password();
        try {
            KeyManager[] keys =
                    keyStore.map(file -> KeyStores.keys(file, password)).orElse(new KeyManager[0]);
            TrustManager[] trusted =
                    trustStore.map(file -> KeyStores.trusted(file, password)).orElseGet(KeyStores::trustedByTheJdk);
            return Optional.of(new RpcTls(KeyStores.context(keys, trusted), false));
        } catch (IllegalArgumentException e) {
            throw CliException.user(String.valueOf(e.getMessage()));
        }
    }

    private String password() {
        Path file = passwordFile.orElseThrow(
                () -> CliException.user("a key or trust store has a password; add --tls-password-file FILE"));
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw CliException.user("cannot read --tls-password-file " + file + "; correct it");
        }
    }
}
