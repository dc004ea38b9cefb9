package org.amo.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;
import org.amo.replication.service.AmoTls;

/** Key stores with certificates that sign themselves, by the JDK's keytool, and one store of those that are trusted. */
final class KvCertificates {
    private static final String PASSWORD = "changeit";
    private static final String TRUST = "trust";

    private KvCertificates() {}

    /**
     * A store of that name, and the word that has a {@link KvProcess} use it.
     *
     * @param names of the certificate, as keytool takes them
     */
    static String make(Path folder, String name, String... names) throws IOException, InterruptedException {
        Path store = folder.resolve(name);
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-J-XX:TieredStopAtLevel=1",
                "-genkeypair",
                "-alias",
                name,
                "-keyalg",
                "EC",
                "-dname",
                "CN=" + name,
                "-ext",
                "SAN=" + String.join(",", names),
                "-keystore",
                store.toString(),
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD);
        Path said = folder.resolve(name + ".log");
        int code = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start()
                .waitFor();
        assertEquals(0, code, () -> "keytool failed, see " + said);
        return KvProcess.TLS + store;
    }

    /** The certificates of these stores are trusted by all that use a store of this folder. */
    static void trust(Path folder, String... names) throws IOException, GeneralSecurityException {
        char[] password = PASSWORD.toCharArray();
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, password);
        for (String name : names) {
            KeyStore own = KeyStore.getInstance(folder.resolve(name).toFile(), password);
            trusted.setCertificateEntry(name, own.getCertificate(name));
        }
        try (OutputStream out = Files.newOutputStream(folder.resolve(TRUST))) {
            trusted.store(out, password);
        }
    }

    /** As a process of the cluster uses them. */
    static AmoTls of(Path store) {
        return KvAccess.certificates(store, store.resolveSibling(TRUST), PASSWORD);
    }
}
