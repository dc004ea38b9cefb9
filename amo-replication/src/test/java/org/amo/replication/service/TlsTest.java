package org.amo.replication.service;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.amo.core.order.Member;
import org.amo.core.replica.ReplicaSettings;
import org.amo.replication.FreePorts;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** TLS between clients and members, with certificates that are made here. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
final class TlsTest {
    private static final String PASSWORD = Certificates.PASSWORD;
    private static final String SECRET = "5e".repeat(32);
    private static final byte[] ECHO = {1, 2, 3};

    @TempDir
    private static Path folder = Path.of("unset");

    @BeforeAll
    static void makeCertificates() throws Exception {
        Certificates certificates = new Certificates(folder);
        for (String name : List.of("member", "client", "stranger")) {
            certificates.selfSigned(name);
            certificates.trust("trusts-" + name, name);
        }
    }

    @Test
    void aMemberShowsItsCertificateAndTheClientChecksIt() throws Exception {
        try (Group group = new Group(Optional.of(memberTls()), false, Optional.of(SECRET))) {
            try (AmoClient client =
                    group.client(group.members, Optional.of(trusting("member"))).build()) {
                assertArrayEquals(ECHO, client.call(ECHO));
                byte[] large = new byte[1 << 20];
                large[77] = 9;
                assertArrayEquals(large, client.call(large));
            }
            assertSays("asks for TLS; give the client a tls(...)", group.client(group.members, Optional.empty()));
            assertSays(
                    "unable to find valid certification path to requested target; give each side the certificates",
                    group.client(group.members, Optional.of(trusting("stranger"))));
            assertSays(
                    "matching localhost",
                    group.client(group.members.replace("127.0.0.1", "localhost"), Optional.of(trusting("member"))));
            try (AmoClient client =
                    group.client(group.members, Optional.of(trusting("member"))).build()) {
                assertArrayEquals(ECHO, client.call(ECHO));
                group.closeOne(client.servedBy());
                assertArrayEquals(ECHO, client.call(ECHO));
            }
        }
    }

    @Test
    void aMemberMayAskForTheClientsCertificate() throws Exception {
        try (Group group = new Group(Optional.of(memberTls()), true, Optional.empty())) {
            try (AmoClient client =
                    group.client(group.members, Optional.of(withKey("client"))).build()) {
                assertArrayEquals(ECHO, client.call(ECHO));
            }
            // Its certificate is not among those that members trust; and none at all.
            assertSays("TLS: ", group.client(group.members, Optional.of(withKey("stranger"))));
            assertSays("TLS: ", group.client(group.members, Optional.of(trusting("member"))));
            assertSays("asks for TLS", group.client(group.members, Optional.empty()));
        }
    }

    /** Each connection is another one of the same client's context, which would resume a session. */
    @Test
    void certificatesAreExchangedWhileTheGroupRuns() throws Exception {
        Path own = Files.createTempDirectory(folder, "exchanged");
        Certificates exchanged = new Certificates(own);
        exchanged.selfSigned("member");
        exchanged.trust("first", "member");
        exchanged.selfSigned("client");
        exchanged.trust("clients", "client");
        AmoTls ofMember = AmoTls.builder()
                .keyStore(own.resolve("member"), PASSWORD)
                .trustStore(own.resolve("clients"), PASSWORD)
                .build();
        AmoTls.Builder ofClient = AmoTls.builder().keyStore(own.resolve("client"), PASSWORD);
        AmoTls trustsFirst = ofClient.trustStore(own.resolve("first"), PASSWORD).build();
        try (Group group = new Group(Optional.of(ofMember), true, Optional.empty());
                AmoClient connected =
                        group.client(group.members, Optional.of(trustsFirst)).build()) {
            assertArrayEquals(ECHO, connected.call(ECHO));

            exchanged.selfSigned("member");
            exchanged.trust("second", "member");
            AmoTls trustsSecond =
                    ofClient.trustStore(own.resolve("second"), PASSWORD).build();
            await().until(() -> isServed(group, trustsSecond));
            assertSays("TLS: ", group.client(group.members, Optional.of(trustsFirst)));
            assertArrayEquals(ECHO, connected.call(ECHO), "a connection that exists goes on");

            exchanged.selfSigned("another");
            exchanged.trust("clients", "another");
            await().until(() -> !isServed(group, trustsSecond));
        }
    }

    private static boolean isServed(Group group, AmoTls tls) {
        try (AmoClient client = group.client(group.members, Optional.of(tls)).build()) {
            return client.call(ECHO).length == ECHO.length;
        } catch (AmoNotExecutedException e) {
            return false;
        }
    }

    @Test
    void aClientWithTlsIsToldThatItsMembersHaveNone() throws Exception {
        try (Group group = new Group(Optional.empty(), false, Optional.empty())) {
            assertSays(
                    "this side uses TLS and the other does not; give both a tls(...), or neither",
                    group.client(group.members, Optional.of(trusting("member"))));
            try (AmoClient client =
                    group.client(group.members, Optional.empty()).build()) {
                assertArrayEquals(ECHO, client.call(ECHO));
            }
        }
    }

    /** As when it dies: another attempt may find another member, or this one back. */
    @Test
    void aPeerThatEndsInTheMiddleOfTheHandshakeIsNoMistake() throws Exception {
        try (ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread peer = new Thread(() -> endAll(listening), "ends-early");
            peer.setDaemon(true);
            peer.start();
            try (AmoClient client = AmoClient.builder("echo")
                    .members("a=127.0.0.1:1/" + listening.getLocalPort())
                    .insecure()
                    .tls(trusting("member"))
                    .build()) {
                long began = System.nanoTime();
                AmoNotExecutedException why =
                        assertThrows(AmoNotExecutedException.class, () -> client.call(ECHO, Duration.ofMillis(400)));
                assertTrue(System.nanoTime() - began >= TimeUnit.MILLISECONDS.toNanos(400), why.getMessage());
            }
        }
    }

    @Test
    void filesThatCannotBeUsedAreSaidInOneLine() throws Exception {
        assertMistake(
                "cannot be read",
                () -> AmoTls.builder().keyStore(file("nowhere"), PASSWORD).build());
        assertMistake(
                "cannot be opened",
                () -> AmoTls.builder().trustStore(file("member"), "wrong").build());
        Files.writeString(file("text"), "no store\n");
        assertMistake(
                "give a file that keytool wrote",
                () -> AmoTls.builder().keyStore(file("text"), PASSWORD).build());
        assertMistake(
                "holds no key",
                () -> AmoTls.builder().keyStore(file("trusts-member"), PASSWORD).build());
        assertMistake(
                "give it a keyStore(...)", () -> AmoReplica.builder("echo").tls(trusting("client"), false));
        AmoTls keyOnly = AmoTls.builder().keyStore(file("member"), PASSWORD).build();
        assertMistake(
                "give it a trustStore(...)", () -> AmoReplica.builder("echo").tls(keyOnly, true));
    }

    private interface Attempt {
        Object run() throws Exception;
    }

    private static void assertMistake(String line, Attempt attempt) {
        IllegalArgumentException why = assertThrows(IllegalArgumentException.class, attempt::run);
        assertTrue(why.getMessage().contains(line), why.getMessage());
        assertEquals(1, why.getMessage().lines().count());
    }

    private static void assertSays(String line, AmoClient.Builder builder) {
        try (AmoClient client = builder.build()) {
            long began = System.nanoTime();
            AmoNotExecutedException why =
                    assertThrows(AmoNotExecutedException.class, () -> client.call(ECHO, Duration.ofSeconds(40)));
            assertTrue(why.getMessage().contains(line), why.getMessage());
            assertEquals(1, why.getMessage().lines().count());
            assertTrue(System.nanoTime() - began < TimeUnit.SECONDS.toNanos(20), "not at once");
        }
    }

    private static void endAll(ServerSocket listening) {
        while (!listening.isClosed()) {
            endOne(listening);
        }
    }

    private static void endOne(ServerSocket listening) {
        try (Socket socket = listening.accept()) {
            assertTrue(socket.getInputStream().readNBytes(5).length == 5);
        } catch (IOException e) {
            // The test is over.
            return;
        }
    }

    private static AmoTls memberTls() {
        return AmoTls.builder()
                .keyStore(file("member"), PASSWORD)
                .trustStore(file("trusts-client"), PASSWORD)
                .build();
    }

    private static AmoTls trusting(String name) {
        return AmoTls.builder().trustStore(file("trusts-" + name), PASSWORD).build();
    }

    private static AmoTls withKey(String name) {
        return AmoTls.builder()
                .keyStore(file(name), PASSWORD)
                .trustStore(file("trusts-member"), PASSWORD)
                .build();
    }

    /** Three members that answer what they are asked. */
    private static final class Group implements AutoCloseable {
        final String members = Member.format(FreePorts.members(3));
        private final List<AmoReplica> replicas = new ArrayList<>();
        private final Optional<String> secret;

        Group(Optional<AmoTls> tls, boolean clientCertificates, Optional<String> secret) throws Exception {
            this.secret = secret;
            Path data = Files.createTempDirectory(folder, "data");
            List<CompletableFuture<AmoReplica>> starting = new ArrayList<>();
            for (String id : List.of("a", "b", "c")) {
                AmoReplica.Builder builder = AmoReplica.builder("echo")
                        .id(id)
                        .members(members)
                        .data(data)
                        .log(ReplicaSettings.Log.MEMORY)
                        .handler((request, context) -> request);
                secret.ifPresentOrElse(builder::secret, builder::insecure);
                tls.ifPresent(each -> builder.tls(each, clientCertificates));
                starting.add(CompletableFuture.supplyAsync(builder::start, task -> new Thread(task).start()));
            }
            for (CompletableFuture<AmoReplica> each : starting) {
                replicas.add(each.get(30, TimeUnit.SECONDS));
            }
        }

        AmoClient.Builder client(String addresses, Optional<AmoTls> tls) {
            AmoClient.Builder builder =
                    AmoClient.builder("echo").members(addresses).deadline(Duration.ofSeconds(40));
            secret.ifPresentOrElse(builder::secret, builder::insecure);
            tls.ifPresent(builder::tls);
            return builder;
        }

        void closeOne(String id) {
            replicas.stream().filter(each -> each.id().equals(id)).forEach(AmoReplica::close);
            replicas.removeIf(each -> each.id().equals(id));
        }

        @Override
        public void close() {
            replicas.forEach(AmoReplica::close);
        }
    }

    private static Path file(String name) {
        return folder.resolve(name);
    }
}
