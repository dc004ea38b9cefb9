package org.amo.replication.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Key stores made by the JDK's keytool, in a folder of a test. */
final class Certificates {
    static final String PASSWORD = "changeit";

    private final Path folder;

    Certificates(Path folder) {
        this.folder = folder;
    }

    Path file(String name) {
        return folder.resolve(name);
    }

    /** An issuer, in the store of this name; and a trust store {@code trusts-NAME} with its certificate. */
    void issuer(String name) throws Exception {
        pair(name, "-ext", "bc:c");
        keytool(
                name,
                "-exportcert",
                "-alias",
                name,
                "-file",
                file(name + ".cer").toString());
        trust("trusts-" + name, name);
    }

    /** A certificate by that issuer for these DNS names, in the store of this name. */
    void issued(String name, String issuer, String... dnsNames) throws Exception {
        String names = "san=dns:" + String.join(",dns:", dnsNames) + ",ip:127.0.0.1";
        String request = file(name + ".csr").toString();
        String certificate = file(name + ".cer").toString();
        pair(name);
        keytool(name, "-certreq", "-alias", name, "-file", request);
        keytool(issuer, "-gencert", "-alias", issuer, "-infile", request, "-outfile", certificate, "-ext", names);
        trust(name, issuer);
        keytool(name, "-importcert", "-noprompt", "-alias", name, "-file", certificate);
    }

    /** Puts the exported certificate of that name into a store. */
    void trust(String store, String name) throws Exception {
        keytool(
                store,
                "-importcert",
                "-noprompt",
                "-alias",
                name,
                "-file",
                file(name + ".cer").toString());
    }

    /** A key pair with a certificate that it signed itself. */
    void pair(String name, String... extension) throws Exception {
        List<String> words = new ArrayList<>(
                List.of("-genkeypair", "-alias", name, "-keyalg", "EC", "-dname", "CN=" + name, "-validity", "2"));
        words.addAll(List.of(extension));
        keytool(name, words.toArray(String[]::new));
    }

    void keytool(String store, String... arguments) throws Exception {
        List<String> words = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
        words.addAll(List.of(arguments));
        words.addAll(List.of("-keystore", file(store).toString(), "-storetype", "PKCS12", "-storepass", PASSWORD));
        Path log = file("keytool.log");
        Process process = new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        assertTrue(process.waitFor(60, TimeUnit.SECONDS), "keytool does not end");
        assertEquals(0, process.exitValue(), Files.readString(log));
    }
}
