package org.amo.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.amo.base.ClientId;
import org.amo.replication.rpc.FrameServer;
import org.amo.replication.rpc.RpcTransport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * TLS in the place of a secret: a coordinator, a server and a backup as processes. The certificate of the shop is trusted and names
 * another group; that of the pretender names this group and is not trusted.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(300)
final class KvTlsTest {
    private static final String ASKS_FOR_TLS = "asks for TLS; give the client a tls(...)";
    private static final String REFUSED = "TLS: ";
    private static final String HERE = "ip:127.0.0.1";

    @TempDir
    private static Path folder = Path.of("unset");

    private static KvCluster cluster;
    private static String kv = "";
    private static String shop = "";
    private static String pretender = "";
    private static String nowhere = "";

    @BeforeAll
    static void start() throws Exception {
        kv = KvCertificates.make(folder, "kv", "dns:a.kv", HERE);
        shop = KvCertificates.make(folder, "shop", "dns:a.shop", HERE);
        pretender = KvCertificates.make(folder, "pretender", "dns:a.kv", HERE);
        nowhere = KvCertificates.make(folder, "nowhere", "dns:s0.kv");
        KvCertificates.trust(folder, "kv", "shop", "nowhere");
        cluster = new KvCluster(folder, 120_000, 1, 4_000, kv, 1, 1);
        cluster.startBackup("b0");
        cluster.start();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Test
    @Order(1)
    void aClientGoesOnWhenItsServerIsKilled() throws Exception {
        byte[] counter = "counter".getBytes(StandardCharsets.UTF_8);
        try (KvClient client = cluster.client()) {
            for (int n = 1; n <= 20; n++) {
                assertEquals(n, client.increment(counter, 1).number());
            }
            CompletableFuture<KvResult> open = client.incrementAsync(counter, 1);
            cluster.kill("s0");
            cluster.startServer("s0");
            assertEquals(21, open.get(2, TimeUnit.MINUTES).number());
            assertEquals(22, client.increment(counter, 1).number());
        }
    }

    @Test
    @Order(2)
    void aClientThatTheCoordinatorsRefuseIsToldTheReasonAtOnce() {
        assertRefused(ASKS_FOR_TLS, KvProcess.NO_SECRET);
        assertRefused("asks for TLS", "a secret in the place of TLS");
        assertRefused(REFUSED, shop);
        assertRefused(REFUSED, pretender);
    }

    private static void assertRefused(String line, String proof) {
        try (KvClient client = KvClient.open(cluster.access(proof))) {
            long began = System.nanoTime();
            KvException why = assertThrows(KvException.class, () -> client.increment(new byte[] {1}, 1));
            String message = String.valueOf(why.getMessage());
            assertTrue(message.contains(line) && message.lines().count() == 1, message);
            assertTrue(System.nanoTime() - began < TimeUnit.SECONDS.toNanos(30), "not at once: " + message);
        }
    }

    /** A client knows the address of a server, and a server that of a backup, from earlier times. */
    @Test
    @Order(3)
    void serversAndBackupsRefuseOthersThemselves() throws Exception {
        for (String process : List.of("s0", "b0")) {
            int port = cluster.port(process);
            assertTrue(end(KvProcess.NO_SECRET, port).contains(ASKS_FOR_TLS));
            assertTrue(end(shop, port).contains(REFUSED));
            assertTrue(end(pretender, port).contains(REFUSED));
            assertEquals("it is connected", end(kv, port));
        }
    }

    /** At the port of a server that died another program may listen by now. */
    @Test
    @Order(4)
    void aProcessOfTheClusterTrustsNoServerOfAnotherGroup() throws Exception {
        KvService none = new KvService(new NamedOperations(Map.of()));
        for (String other : List.of(shop, pretender)) {
            try (FrameServer server = cluster.access(other).serve("s0", "127.0.0.1", 0, none, Optional.empty())) {
                String why = end(kv, server.port());
                assertTrue(why.contains(other.equals(shop) ? "names no member of group 'kv'" : REFUSED), why);
            }
        }
    }

    @Test
    @Order(5)
    void aServerOrBackupThatIsRefusedEndsWithALine() throws Exception {
        cluster.startServerAs("s1", shop);
        cluster.startBackupAs("b1", pretender);
        for (String process : List.of("s1", "b1")) {
            String said = cluster.awaitEnd(process);
            assertTrue(said.contains("was not executed: no member could be reached (") && said.contains(REFUSED), said);
        }
    }

    /** The coordinators and the backup do not ask the server for the name of its host. */
    @Test
    @Order(6)
    void aServerWhoseCertificateDoesNotNameItsHostIsNamedWhenTheDeadlineEnds() throws Exception {
        cluster.kill("s0");
        cluster.startServerAs("s0", nowhere);
        try (KvClient client = KvClient.open(cluster.access(), Duration.ofSeconds(8), Duration.ofSeconds(1))) {
            KvException why = assertThrows(KvException.class, () -> client.increment(new byte[] {1}, 1));
            String message = String.valueOf(why.getMessage());
            assertTrue(message.startsWith("the call did not run: no answer within its deadline ("), message);
            assertTrue(message.contains("with the host's name in it"), message);
        }
    }

    /** Why a connection with that proof ended, or that it did not. */
    private static String end(String proof, int port) throws InterruptedException, ExecutionException {
        CompletableFuture<String> end = new CompletableFuture<>();
        try (RpcTransport transport = RpcTransport.open("amo-kv-stranger")) {
            KvLink link = new KvLink(new ClientId(1, 2), new KvLink.Listener() {
                @Override
                public void onConnected(KvLink connected) {
                    end.complete("it is connected");
                }

                @Override
                public void onReply(KvLink from, long copy, byte[] body) {
                    // Nothing was asked.
                }

                @Override
                public void onBatchEnd() {
                    // Nothing is gathered.
                }

                @Override
                public void onGone(KvLink gone, String why) {
                    end.complete(why);
                }
            });
            transport
                    .loop()
                    .execute(() -> link.connect(transport, cluster.access(proof).peer("127.0.0.1", port)));
            return end.get();
        }
    }
}
