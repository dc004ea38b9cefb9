package org.amo.interceptors.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** Key stores made by the JDK's own keytool, and JacORB's properties that use them. */
public final class KeyStores {
    public static final String PASSWORD = "changeit";

    /** Guarded by this class: to make a key takes a process and a second. */
    private static final Map<String, byte[]> STORES = new HashMap<>();

    private KeyStores() {}

    /** A store with a key of this name, the same in all tests of a process; a certificate that only this store trusts. */
    public static synchronized Path selfSigned(Path folder, String name) throws Exception {
        Path store = folder.resolve(name + ".jks");
        byte[] made = STORES.get(name);
        if (made == null) {
            make(store, name);
            STORES.put(name, Files.readAllBytes(store));
        } else {
            Files.write(store, made);
        }
        return store;
    }

    private static void make(Path store, String name) throws Exception {
        List<String> words = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair", "-alias", name));
        words.addAll(List.of("-keyalg", "EC", "-keysize", "256", "-validity", "2", "-storetype", "JKS"));
        words.addAll(List.of("-dname", "CN=" + name, "-ext", "san=ip:127.0.0.1", "-keystore", store.toString()));
        words.addAll(List.of("-storepass", PASSWORD, "-keypass", PASSWORD));
        Path log = store.resolveSibling(name + ".log");
        Process keytool = new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        keytool.waitFor(60, TimeUnit.SECONDS);
        assertEquals(0, keytool.exitValue(), log.toString());
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
