package org.amo.interceptors.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** Key stores made by the JDK's own keytool, and JacORB's properties that use them. */
public final class KeyStores {
    public static final String PASSWORD = "changeit";

    private KeyStores() {}

    /** A store with a new key; a certificate that only this store trusts. */
    public static Path selfSigned(Path folder, String name) throws Exception {
        Path store = folder.resolve(name + ".jks");
        List<String> words = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair", "-alias", name));
        words.addAll(List.of("-keyalg", "RSA", "-keysize", "2048", "-validity", "2", "-storetype", "JKS"));
        words.addAll(List.of("-dname", "CN=" + name, "-ext", "san=ip:127.0.0.1", "-keystore", store.toString()));
        words.addAll(List.of("-storepass", PASSWORD, "-keypass", PASSWORD));
        Process keytool = new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve(name + ".log").toFile())
                .start();
        keytool.waitFor(60, TimeUnit.SECONDS);
        assertEquals(0, keytool.exitValue(), folder.resolve(name + ".log").toString());
        return store;
    }

    /** Of a server with the key of that store. */
    static SSLContext context(Path store) throws Exception {
        char[] password = PASSWORD.toCharArray();
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(KeyStore.getInstance(store.toFile(), password), password);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        return context;
    }

    /** The options of SSLIOP are in hexadecimal: 60 is trust both ways. */
    static Map<String, String> properties(Path store, String supported, String required) {
        return Map.ofEntries(
                Map.entry("jacorb.security.support_ssl", "on"),
                Map.entry("jacorb.ssl.socket_factory", "org.jacorb.security.ssl.sun_jsse.SSLSocketFactory"),
                Map.entry(
                        "jacorb.ssl.server_socket_factory", "org.jacorb.security.ssl.sun_jsse.SSLServerSocketFactory"),
                Map.entry("jacorb.security.keystore", store.toString()),
                Map.entry("jacorb.security.keystore_password", PASSWORD),
                Map.entry("jacorb.security.jsse.trustees_from_ks", "on"),
                Map.entry("jacorb.security.ssl.server.supported_options", supported),
                Map.entry("jacorb.security.ssl.server.required_options", required),
                Map.entry("jacorb.security.ssl.client.supported_options", "60"),
                Map.entry("jacorb.security.ssl.client.required_options", "60"));
    }
}
