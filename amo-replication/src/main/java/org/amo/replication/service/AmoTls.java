package org.amo.replication.service;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import org.amo.base.Stable;
import org.amo.core.order.TlsFiles;
import org.amo.replication.rpc.RpcTls;
import org.amo.replication.tls.KeyStores;
import org.amo.replication.tls.ReloadedContext;

/**
 * Holds the certificates for TLS between clients and members, or between members, from files that the JDK's keytool makes
 * (PKCS12 or JKS). They are read when it is built, and again when they have changed: connections that begin a second later use the new
 * ones, and those that exist go on. A changed file that cannot be used is told in the log. Any thread.
 */
@Stable
public final class AmoTls {
    private final Supplier<SSLContext> contexts;
    private final Optional<Store> keys;
    private final Optional<Store> trusted;

    private record Store(Path file, String password) {}

    private AmoTls(Supplier<SSLContext> contexts, Optional<Store> keys, Optional<Store> trusted) {
        this.contexts = contexts;
        this.keys = keys;
        this.trusted = trusted;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** For servers and connections of frames. */
    public RpcTls rpc(boolean clientCertificates) {
        return new RpcTls(contexts, clientCertificates);
    }

    /** Whether this side can show a certificate of its own. */
    boolean showsCertificate() {
        return keys.isPresent();
    }

    /** @throws IllegalArgumentException in one line unless both stores were named */
    TlsFiles files() {
        if (keys.isEmpty() || trusted.isEmpty()) {
            throw new IllegalArgumentException(
                    "TLS between members needs each member's own certificate and those that it"
                            + " trusts; give a keyStore(...) and a trustStore(...)");
        }
        return new TlsFiles(
                keys.get().file(),
                keys.get().password(),
                trusted.get().file(),
                trusted.get().password());
    }

    void checkForMember(boolean clientCertificates) {
        if (!showsCertificate()) {
            throw new IllegalArgumentException(
                    "TLS of a member needs its key and certificate; give it a keyStore(...)");
        }
        if (clientCertificates && trusted.isEmpty()) {
            throw new IllegalArgumentException(
                    "a member that asks for clients' certificates needs those that it trusts; give it a trustStore(...)");
        }
    }

    /** Collects the files; {@link #build} reads them. One thread. */
    @Stable
    public static final class Builder {
        private Optional<Store> keys = Optional.empty();
        private Optional<Store> trusted = Optional.empty();
        private Optional<String> group = Optional.empty();

        private Builder() {}

        /** The own key and certificate. A member needs it; a client where members ask for certificates. */
        public Builder keyStore(Path file, String password) {
            keys = Optional.of(new Store(file, password));
            return this;
        }

        /** The trusted certificates, or those of their issuers. Without it a client trusts those that the JDK trusts. */
        public Builder trustStore(Path file, String password) {
            trusted = Optional.of(new Store(file, password));
            return this;
        }

        /**
         * Trusts those among the trusted certificates that name {@code ID.GROUP} as a DNS name or common name, as members do among
         * each other: one issuer may then serve many groups. Without it their names do not count.
         */
        public Builder group(String name) {
            group = Optional.of(name);
            return this;
        }

        /** @throws IllegalArgumentException in one line when a file cannot be used */
        public AmoTls build() {
            List<Path> files = Stream.concat(keys.stream(), trusted.stream())
                    .map(Store::file)
                    .toList();
            Optional<Store> ownKeys = keys;
            Optional<Store> peers = trusted;
            Optional<String> ofGroup = group;
            return new AmoTls(new ReloadedContext(files, () -> context(ownKeys, peers, ofGroup)), ownKeys, peers);
        }

        private static SSLContext context(Optional<Store> keys, Optional<Store> trusted, Optional<String> group) {
            KeyManager[] ownKeys = keys.map(store -> KeyStores.keys(store.file(), store.password()))
                    .orElse(new KeyManager[0]);
            TrustManager[] trust = trusted.map(store -> KeyStores.trusted(store.file(), store.password()))
                    .orElseGet(KeyStores::trustedByTheJdk);
            return KeyStores.context(
                    ownKeys, group.map(name -> KeyStores.ofGroup(trust, name)).orElse(trust));
        }
    }
}
