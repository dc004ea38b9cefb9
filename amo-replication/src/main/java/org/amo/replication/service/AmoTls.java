package org.amo.replication.service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.util.Collections;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.amo.transport.rpc.RpcTls;

/**
 * Certificates for TLS between clients and members, from files that the JDK's keytool makes (PKCS12 or JKS). Read once, when
 * it is built. Immutable; any thread.
 */
public final class AmoTls {
    private final SSLContext context;
    private final boolean hasKey;
    private final boolean hasTrust;

    private AmoTls(SSLContext context, boolean hasKey, boolean hasTrust) {
        this.context = context;
        this.hasKey = hasKey;
        this.hasTrust = hasTrust;
    }

    public static Builder builder() {
        return new Builder();
    }

    RpcTls rpc(boolean clientCertificates) {
        return new RpcTls(context, clientCertificates);
    }

    void checkForMember(boolean clientCertificates) {
        if (!hasKey) {
            throw new IllegalArgumentException(
                    "TLS of a member needs its key and certificate; give it a keyStore(...)");
        }
        if (clientCertificates && !hasTrust) {
            throw new IllegalArgumentException(
                    "a member that asks for clients' certificates needs those that it trusts; give it a trustStore(...)");
        }
    }

    /** Collects the files; {@link #build} reads them. One thread. */
    public static final class Builder {
        private Optional<Store> keys = Optional.empty();
        private Optional<Store> trusted = Optional.empty();

        private Builder() {}

        private record Store(Path file, String password) {}

        /** The own key and certificate. A member needs it; a client where members ask for certificates. */
        public Builder keyStore(Path file, String password) {
            keys = Optional.of(new Store(file, password));
            return this;
        }

        /** The certificates, or those of their issuers, that are trusted. Without it a client trusts what the JDK does. */
        public Builder trustStore(Path file, String password) {
            trusted = Optional.of(new Store(file, password));
            return this;
        }

        /** @throws IllegalArgumentException in one line when a file cannot be used */
        public AmoTls build() {
            try {
                // TLS 1.3 where both can; the JDK has the old versions disabled.
                SSLContext context = SSLContext.getInstance("TLS");
                context.init(keyManagers(), trustManagers(), null);
                return new AmoTls(context, keys.isPresent(), trusted.isPresent());
            } catch (GeneralSecurityException e) {
                throw new IllegalArgumentException("TLS cannot be set up: " + e.getMessage(), e);
            }
        }

        private KeyManager[] keyManagers() throws GeneralSecurityException {
            if (keys.isEmpty()) {
                return new KeyManager[0];
            }
            Store store = keys.get();
            KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            KeyStore read = read(store, "key");
            boolean hasOne = false;
            for (String alias : Collections.list(read.aliases())) {
                hasOne |= read.isKeyEntry(alias);
            }
            if (!hasOne) {
                throw new IllegalArgumentException("the key store " + store.file() + " holds no key; name the file that"
                        + " keytool -genkeypair wrote");
            }
            factory.init(read, store.password().toCharArray());
            return factory.getKeyManagers();
        }

        private TrustManager[] trustManagers() throws GeneralSecurityException {
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            if (trusted.isEmpty()) {
                factory.init((KeyStore) null);
                return factory.getTrustManagers();
            }
            KeyStore read = read(trusted.get(), "trust");
            if (read.size() == 0) {
                throw new IllegalArgumentException("the trust store "
                        + trusted.get().file() + " holds no certificate; put one into it with keytool -importcert");
            }
            factory.init(read);
            return factory.getTrustManagers();
        }

        private static KeyStore read(Store store, String kind) throws GeneralSecurityException {
            try {
                if (!Files.isReadable(store.file())) {
                    throw new IllegalArgumentException("the " + kind + " store " + store.file() + " cannot be read");
                }
                return KeyStore.getInstance(
                        store.file().toFile(), store.password().toCharArray());
            } catch (IOException e) {
                throw new IllegalArgumentException(
                        "the " + kind + " store " + store.file() + " cannot be opened (" + e.getMessage()
                                + "); give its password, and a file that keytool wrote",
                        e);
            } catch (KeyStoreException e) {
                throw new IllegalArgumentException(
                        "the " + kind + " store " + store.file()
                                + " is none that the JDK knows; give a file that keytool wrote",
                        e);
            }
        }
    }
}
