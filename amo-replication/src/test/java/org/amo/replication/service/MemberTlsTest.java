package org.amo.replication.service;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.amo.core.order.Member;
import org.amo.core.replica.ReplicaSettings;
import org.amo.replication.FreePorts;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Members that prove themselves by certificates and share no secret. One issuer serves the groups bank and shop. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
final class MemberTlsTest {
    private static final byte[] ECHO = {1, 2, 3};

    @TempDir
    private static Path folder = Path.of("unset");

    private final String members = Member.format(FreePorts.members(3));
    private final List<AmoReplica> replicas = new ArrayList<>();
    private Path data = Path.of("unset");

    @BeforeAll
    static void makeCertificates() throws Exception {
        Certificates certificates = new Certificates(folder);
        certificates.issuer("issuer");
        certificates.issued("bank", "issuer", "a.bank", "b.bank", "c.bank");
        certificates.issued("shop", "issuer", "c.shop");
        certificates.issuer("stranger");
        certificates.issued("pretender", "stranger", "c.bank");
    }

    @BeforeEach
    void makeFolder() throws Exception {
        data = Files.createTempDirectory(folder, "data");
    }

    @AfterEach
    void closeReplicas() {
        replicas.forEach(AmoReplica::close);
    }

    @Test
    void aGroupWithCertificatesNeedsNoSecret() throws Exception {
        start(
                member("a", tls("bank", "issuer")),
                member("b", tls("bank", "issuer")),
                member("c", tls("bank", "issuer")));
        try (AmoClient client = client()) {
            assertArrayEquals(ECHO, client.call(ECHO));
            byte[] large = new byte[1 << 20];
            large[77] = 9;
            assertArrayEquals(large, client.call(large));
            AmoReplica served = replicas.stream()
                    .filter(each -> each.id().equals(client.servedBy()))
                    .findFirst()
                    .orElseThrow();
            replicas.remove(served);
            served.close();
            assertArrayEquals(ECHO, client.call(ECHO));
        }
    }

    /** With a certificate that it lacks the right to, the third member hears nothing and is not heard. */
    @Test
    void aCertificateOfAnotherGroupOrIssuerDoesNotJoin() throws Exception {
        start(member("a", tls("bank", "issuer")), member("b", tls("bank", "issuer")));
        try (AmoClient client = client()) {
            assertArrayEquals(ECHO, client.call(ECHO));
            for (AmoTls other : List.of(tls("shop", "issuer"), tls("pretender", "issuer"))) {
                Path apart = Files.createTempDirectory(folder, "other");
                try (AmoReplica third = member("c", other).data(apart).start()) {
                    assertArrayEquals(ECHO, client.call(ECHO));
                    assertEquals(0, third.status().position(), "it was told of entries");
                }
            }
        }
    }

    /** The third member joins with a certificate that the others trust since a moment ago, and shows it to them. */
    @Test
    void certificatesOfMembersAreExchangedWhileTheGroupRuns() throws Exception {
        Path own = Files.createTempDirectory(folder, "exchanged");
        Certificates exchanged = new Certificates(own);
        exchanged.issuer("issuer");
        exchanged.issued("bank", "issuer", "a.bank", "b.bank", "c.bank");
        AmoTls first = AmoTls.builder()
                .keyStore(own.resolve("bank"), Certificates.PASSWORD)
                .trustStore(own.resolve("trusts-issuer"), Certificates.PASSWORD)
                .build();
        start(member("a", first), member("b", first));
        exchanged.issuer("issuer");
        exchanged.issued("bank", "issuer", "a.bank", "b.bank", "c.bank");
        try (AmoReplica third = member("c", first).start()) {
            await("members connect anew, and trust the new issuer")
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> third.health().isReady());
        }
    }

    @Test
    void whatIsMissingIsSaidInOneLine() {
        assertMistake("nothing that proves its clients", () -> AmoReplica.builder("bank")
                .id("a")
                .members(members)
                .memberTls(tls("bank", "issuer"))
                .handler((request, context) -> request)
                .start());
        AmoTls keyOnly = AmoTls.builder()
                .keyStore(folder.resolve("bank"), Certificates.PASSWORD)
                .build();
        assertMistake("give a keyStore(...) and a trustStore(...)", () -> AmoReplica.builder("bank")
                .memberTls(keyOnly));
    }

    private interface Attempt {
        Object run();
    }

    private static void assertMistake(String line, Attempt attempt) {
        IllegalArgumentException why = assertThrows(IllegalArgumentException.class, attempt::run);
        assertTrue(why.getMessage().contains(line), why.getMessage());
        assertEquals(1, why.getMessage().lines().count());
    }

    private AmoClient client() {
        return AmoClient.builder("bank")
                .members(members)
                .tls(tls("bank", "issuer"))
                .deadline(Duration.ofSeconds(40))
                .build();
    }

    private AmoReplica.Builder member(String id, AmoTls tls) {
        return AmoReplica.builder("bank")
                .id(id)
                .members(members)
                .data(data)
                .log(ReplicaSettings.Log.MEMORY)
                .memberTls(tls)
                .tls(tls, true)
                .handler((request, context) -> request);
    }

    private void start(AmoReplica.Builder... builders) throws Exception {
        List<CompletableFuture<AmoReplica>> starting = new ArrayList<>();
        for (AmoReplica.Builder each : builders) {
            starting.add(CompletableFuture.supplyAsync(each::start, task -> new Thread(task).start()));
        }
        for (CompletableFuture<AmoReplica> each : starting) {
            replicas.add(each.get(60, TimeUnit.SECONDS));
        }
    }

    private static AmoTls tls(String name, String issuer) {
        return AmoTls.builder()
                .keyStore(folder.resolve(name), Certificates.PASSWORD)
                .trustStore(folder.resolve("trusts-" + issuer), Certificates.PASSWORD)
                .build();
    }
}
