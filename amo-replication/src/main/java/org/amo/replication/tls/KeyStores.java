package org.amo.replication.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.util.Collections;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/** Reads key and trust stores that the JDK's keytool made. Every mistake is an IllegalArgumentException of one line. */
public final class KeyStores {
    private KeyStores() {}

    /** The keys of a store, which must hold one. */
    public static KeyManager[] keys(Path file, String password) {
        try {
            KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            KeyStore read = read("key", file, password);
            boolean hasOne = false;
            for (String alias : Collections.list(read.aliases())) {
                hasOne |= read.isKeyEntry(alias);
            }
            if (!hasOne) {
                throw new IllegalArgumentException(
                        "the key store " + file + " holds no key; name the file that keytool -genkeypair wrote");
            }
            factory.init(read, password.toCharArray());
            return factory.getKeyManagers();
        } catch (GeneralSecurityException e) {
            throw unusable(e);
        }
    }

    /** The certificates of a store as those to trust; there must be one. */
    public static TrustManager[] trusted(Path file, String password) {
        try {
            KeyStore read = read("trust", file, password);
            if (read.size() == 0) {
                throw new IllegalArgumentException(
                        "the trust store " + file + " holds no certificate; put one into it with keytool -importcert");
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(read);
            return factory.getTrustManagers();
        } catch (GeneralSecurityException e) {
            throw unusable(e);
        }
    }

    /** Of the certificates that those trust, the ones that name a member of the group: {@code ID.GROUP} as a DNS name or common name. */
    public static TrustManager[] ofGroup(TrustManager[] issuers, String group) {
        for (TrustManager manager : issuers) {
            if (manager instanceof X509ExtendedTrustManager x509) {
                return new TrustManager[] {new MemberTrust(x509, group)};
            }
        }
        throw new IllegalArgumentException("this Java runtime has no trust manager for X.509 certificates");
    }

    /** The certificates that the JDK trusts. */
    public static TrustManager[] trustedByTheJdk() {
        try {
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init((KeyStore) null);
            return factory.getTrustManagers();
        } catch (GeneralSecurityException e) {
            throw unusable(e);
        }
    }

    /** TLS 1.3 where both sides can; the JDK has the old versions disabled. */
    public static SSLContext context(KeyManager[] keys, TrustManager[] trusted) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys, trusted, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw unusable(e);
        }
    }

    private static IllegalArgumentException unusable(GeneralSecurityException e) {
        return new IllegalArgumentException("TLS cannot be set up: " + e.getMessage(), e);
    }

    private static KeyStore read(String kind, Path file, String password) throws GeneralSecurityException {
        try {
            if (!Files.isReadable(file)) {
                throw new IllegalArgumentException("the " + kind + " store " + file + " cannot be read");
            }
            return KeyStore.getInstance(file.toFile(), password.toCharArray());
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "the " + kind + " store " + file + " cannot be opened (" + e.getMessage()
                            + "); give its password, and a file that keytool wrote",
                    e);
        } catch (KeyStoreException e) {
            throw new IllegalArgumentException(
                    "the " + kind + " store " + file + " is none that the JDK knows; give a file that keytool wrote",
                    e);
        }
    }
}
