package org.amo.lab.blackbox;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.amo.examples.bank.idl.Bank;
import org.amo.lab.cluster.ExternalCommand;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Wrapped servers that require SSL and certificates of clients; the password of their key store is in a file. */
@Timeout(120)
final class SslServersTest {
    private static final String PASSWORD = "a pass word of tests";

    @TempDir
    private Path folder = Path.of("unset");

    @Test
    void aClientGoesOnWhenItsMemberIsKilled() throws Exception {
        Map<String, String> ssl = ssl(keyStore());
        BankCluster.Settings settings = BankCluster.Settings.bank("ssl")
                .property("custom.props", passwordFile().toString());
        for (Map.Entry<String, String> each : ssl.entrySet()) {
            settings = settings.property(each.getKey(), each.getValue());
        }
        Map<String, String> client = new HashMap<>(ssl);
        client.put("jacorb.security.keystore_password", PASSWORD);
        client.put("amo.firstMember", "0");
        try (BankCluster bank = new BankCluster(settings)) {
            bank.processes().forEach(bank::launch);
            // Such members do not tell their status, which plain IIOP asks for.
            bank.awaitThat("all members are open", () -> bank.processes().stream()
                    .allMatch(member -> Files.exists(member.reference())));
            try (Orb orb = Orb.client(30_000, client)) {
                Bank mine = orb.bank(bank.reference());
                assertEquals(1, mine.deposit("ssl", 1));
                assertEquals(2, mine.deposit("ssl", 1));
                bank.member(0).kill();
                assertEquals(3, mine.deposit("ssl", 1));
                assertEquals(4, mine.deposit("ssl", 1));
            }
            assertEquals(Set.of(), bank.executedMoreThanOnce());
        }
    }

    private Path passwordFile() throws IOException {
        return Files.writeString(
                folder.resolve("ssl.properties"), "jacorb.security.keystore_password=" + PASSWORD + "\n");
    }

    /** One key for all, which its certificate alone makes trusted. */
    private Path keyStore() {
        Path store = folder.resolve("group.jks");
        ExternalCommand.run(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "group",
                "-keyalg",
                "EC",
                "-keysize",
                "256",
                "-validity",
                "2",
                "-storetype",
                "JKS",
                "-dname",
                "CN=group",
                "-ext",
                "san=ip:127.0.0.1",
                "-keystore",
                store.toString(),
                "-storepass",
                PASSWORD,
                "-keypass",
                PASSWORD));
        return store;
    }

    /** The options of SSLIOP are in hexadecimal: 60 is trust both ways. */
    private static Map<String, String> ssl(Path store) {
        return Map.of(
                "jacorb.security.support_ssl", "on",
                "jacorb.ssl.socket_factory", "org.jacorb.security.ssl.sun_jsse.SSLSocketFactory",
                "jacorb.ssl.server_socket_factory", "org.jacorb.security.ssl.sun_jsse.SSLServerSocketFactory",
                "jacorb.security.keystore", store.toString(),
                "jacorb.security.jsse.trustees_from_ks", "on",
                "jacorb.security.ssl.server.supported_options", "60",
                "jacorb.security.ssl.server.required_options", "60",
                "jacorb.security.ssl.client.supported_options", "60",
                "jacorb.security.ssl.client.required_options", "60");
    }
}
