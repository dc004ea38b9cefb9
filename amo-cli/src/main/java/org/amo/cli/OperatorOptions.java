package org.amo.cli;

import java.nio.file.Path;
import java.util.Optional;
import org.amo.replication.service.AmoTls;
import org.amo.replication.service.OperatorClient;
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

    /** Read once: a descriptor has it for one reader. */
    private Optional<String> known = Optional.empty();

    /**
     * The secret, if the group has one.
     *
     * @throws CliException unless an option says which
     */
    Optional<String> secret() {
        if (known.isPresent()) {
            return known;
        }
        if (secretFile.isPresent() == insecure && keyStore.isEmpty()) {
            throw CliException.user("say either --secret-file FILE or --insecure, as for the members");
        }
        known = secretFile.map(SecretFile::read);
        return known;
    }

    /**
     * The port of a Java service's clients.
     *
     * @throws CliException if the secret or a store cannot be used
     */
    MemberPort java(String group) {
        return new OperatorClient(group, secret(), tls())::ask;
    }

    private Optional<AmoTls> tls() {
        if (trustStore.isEmpty() && keyStore.isEmpty()) {
            if (passwordFile.isPresent()) {
                throw CliException.user("--tls-password-file is of use only beside --tls-trust-store; add it");
            }
            return Optional.empty();
        }
        Path file = passwordFile.orElseThrow(
                () -> CliException.user("a key or trust store has a password; add --tls-password-file FILE"));
        String password = SecretFile.text("--tls-password-file", file);
        try {
            AmoTls.Builder builder = AmoTls.builder();
            keyStore.ifPresent(store -> builder.keyStore(store, password));
            trustStore.ifPresent(store -> builder.trustStore(store, password));
            return Optional.of(builder.build());
        } catch (IllegalArgumentException e) {
            throw CliException.user(String.valueOf(e.getMessage()));
        }
    }
}
