package org.amo.replication.service;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.core.replica.ReplicaSettings;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three members in one JVM, over RAFT and TCP with a secret. Members in processes of their own: examples/counter. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(60)
final class OverTcpTest {
    private final Map<String, AmoReplica> replicas = new LinkedHashMap<>();
    private final Map<String, AtomicLong> counts = new LinkedHashMap<>();
    private String members = "";

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        members = Ports.members("a", "b", "c");
        List<CompletableFuture<AmoReplica>> starting = new ArrayList<>();
        for (String id : List.of("a", "b", "c")) {
            AtomicLong count = new AtomicLong();
            counts.put(id, count);
            starting.add(CompletableFuture.supplyAsync(() -> AmoReplica.builder("count")
                    .id(id)
                    .members(members)
                    .data(folder)
                    .log(ReplicaSettings.Log.FILE)
                    .secret("s3cret")
                    .handler((request, context) -> count(count, new String(request, UTF_8)))
                    .start()));
        }
        for (CompletableFuture<AmoReplica> each : starting) {
            AmoReplica replica = each.get(30, TimeUnit.SECONDS);
            replicas.put(replica.id(), replica);
        }
    }

    private static byte[] count(AtomicLong count, String what) {
        if (what.equals("fail")) {
            throw new IllegalArgumentException("not " + what);
        }
        return Long.toString(count.addAndGet(what.length())).getBytes(UTF_8);
    }

    @AfterAll
    void close() {
        replicas.values().forEach(AmoReplica::close);
    }

    private AmoClient client() {
        return builder().build();
    }

    private AmoClient.Builder builder() {
        return AmoClient.builder("count").members(members).secret("s3cret").deadline(Duration.ofSeconds(20));
    }

    @Test
    @Order(1)
    void callsOfEveryKindRunOnceAtEveryMember() throws Exception {
        try (AmoClient client = client()) {
            long before = Long.parseLong(new String(client.call("x".getBytes(UTF_8)), UTF_8));
            assertEquals(before + 2, Long.parseLong(new String(client.call("xx".getBytes(UTF_8)), UTF_8)));
            assertEquals(
                    before + 5,
                    Long.parseLong(new String(
                            client.callAsync("xxx".getBytes(UTF_8))
                                    .toCompletableFuture()
                                    .get(20, TimeUnit.SECONDS),
                            UTF_8)));
            client.oneway("xxxx".getBytes(UTF_8));
            await().until(() -> counts.values().stream().allMatch(count -> count.get() == before + 9));
            AmoServiceException thrown =
                    assertThrows(AmoServiceException.class, () -> client.call("fail".getBytes(UTF_8)));
            assertEquals("java.lang.IllegalArgumentException", thrown.type());
            assertTrue(thrown.getMessage().endsWith("not fail"), thrown.getMessage());
        }
        // The closing client's acknowledgements leave nothing behind.
        await().until(() ->
                replicas.values().stream().allMatch(replica -> replica.status().entries() == 0));
    }

    @Test
    @Order(2)
    void aClientWithAnotherSecretOrGroupIsToldSoInOneLineAtOnce() {
        assertMistake(builder().secret("other"), "secret is not that of group 'count'");
        assertMistake(
                AmoClient.builder("coumt").members(members).secret("s3cret"),
                "belongs to group 'count', not to 'coumt'");
        assertMistake(AmoClient.builder("count").members(members).insecure(), "asks for the group's secret");
    }

    private static void assertMistake(AmoClient.Builder builder, String line) {
        try (AmoClient client = builder.build()) {
            AmoNotExecutedException why =
                    assertThrows(AmoNotExecutedException.class, () -> client.call(new byte[1], Duration.ofSeconds(30)));
            assertTrue(why.getMessage().contains(line), why.getMessage());
            assertEquals(1, why.getMessage().lines().count());
        }
    }

    @Test
    @Order(3)
    void aMemberThatLeavesGracefullyFailsNoCall() throws Exception {
        try (AmoClient client = client()) {
            long before = Long.parseLong(new String(client.call("x".getBytes(UTF_8)), UTF_8));
            String leader = replicas.get("a").status().leader();
            List<CompletableFuture<byte[]>> calls = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                calls.add(client.callAsync("x".getBytes(UTF_8)).toCompletableFuture());
            }
            AmoReplica leaving = replicas.remove(leader);
            CompletableFuture<Void> left = CompletableFuture.runAsync(leaving::close);
            for (int i = 0; i < 200; i++) {
                calls.add(client.callAsync("x".getBytes(UTF_8)).toCompletableFuture());
            }
            for (CompletableFuture<byte[]> call : calls) {
                call.get(20, TimeUnit.SECONDS);
            }
            left.get(20, TimeUnit.SECONDS);
            assertEquals(before + 401, Long.parseLong(new String(client.call("x".getBytes(UTF_8)), UTF_8)));
            assertFalse(replicas.containsKey(leader));
        }
    }
}
