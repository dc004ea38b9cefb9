package org.amo.replication.service;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.amo.base.ClientId;
import org.amo.core.client.GroupClient;
import org.amo.core.order.Member;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.request.Answer;
import org.amo.core.request.Refusal;
import org.amo.meetings.OpenFiles;
import org.amo.replication.FreePorts;
import org.amo.replication.rpc.RpcTransport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three members in one JVM, over RAFT and TCP. They have no secret, from which each would derive keys at each start: members with one are in
 * {@link TlsTest}, and in processes of their own in examples/counter.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(60)
final class OverTcpTest {
    private final Map<String, AmoReplica> replicas = new LinkedHashMap<>();
    private final Map<String, AtomicLong> counts = new ConcurrentHashMap<>();
    private static final List<String> IDS = List.of("a", "b", "c");

    private String members = "";
    private Path folder = Path.of("unset");

    @BeforeAll
    void start(@TempDir Path data) throws Exception {
        folder = data;
        members = Member.format(FreePorts.members(3));
        System.setProperty("amo.snapshotBytes", "100000");
        startAll();
    }

    private void startAll() throws Exception {
        List<CompletableFuture<AmoReplica>> starting = new ArrayList<>();
        for (String id : IDS) {
            starting.add(CompletableFuture.supplyAsync(() -> startOne(id)));
        }
        for (CompletableFuture<AmoReplica> each : starting) {
            AmoReplica replica = each.get(30, TimeUnit.SECONDS);
            replicas.put(replica.id(), replica);
        }
    }

    private AmoReplica startOne(String id) {
        AtomicLong count = new AtomicLong();
        counts.put(id, count);
        return AmoReplica.builder("count")
                .id(id)
                .members(members)
                .data(folder)
                .log(ReplicaSettings.Log.FILE)
                .insecure()
                .handler((request, context) -> count(count, new String(request, UTF_8)))
                .state(new CountState(count))
                .start();
    }

    private record CountState(AtomicLong count) implements AmoState {
        @Override
        public byte[] take() {
            return Long.toString(count.get()).getBytes(UTF_8);
        }

        @Override
        public void restore(byte[] state) {
            count.set(Long.parseLong(new String(state, UTF_8)));
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
        System.clearProperty("amo.snapshotBytes");
        replicas.values().forEach(AmoReplica::close);
    }

    private AmoClient client() {
        return builder().build();
    }

    private AmoClient.Builder builder() {
        return AmoClient.builder("count").members(members).insecure().deadline(Duration.ofSeconds(20));
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
        Member member = FreePorts.members(1).get(0);
        String alone = Member.format(List.of(member));
        try (AmoReplica replica = AmoReplica.builder("alone")
                .id(member.id())
                .members(alone)
                .data(folder)
                .log(ReplicaSettings.Log.MEMORY)
                .secret("a s3cret of tests")
                .handler((request, context) -> request)
                .start()) {
            assertEquals(member.id(), replica.id());
            assertMistake(
                    AmoClient.builder("alone").members(alone).secret("another s3cret of tests"),
                    "secret is not that of group 'alone'");
            assertMistake(
                    AmoClient.builder("allone").members(alone).secret("a s3cret of tests"),
                    "belongs to group 'alone', not to 'allone'");
            assertMistake(AmoClient.builder("alone").members(alone).insecure(), "asks for the group's secret");
        }
    }

    /** For checkers: what members write under the same ids, and an end of every call that begins. */
    @Test
    @Order(2)
    void aClientsHistoryHasTheIdsAndValuesThatMembersWrite() throws Exception {
        Path file = folder.resolve("client-history");
        List<String> sent = new CopyOnWriteArrayList<>();
        try (AmoClient client = builder().history(file, "c").onSend(sent::add).build()) {
            byte[] reply = client.call("x".getBytes(UTF_8));
            client.oneway("xx".getBytes(UTF_8));
            await().until(() -> Files.readAllLines(file).size() == 4);
            String id = client.id();
            assertEquals(List.of(id + "-1", id + "-2"), sent);
            assertEquals(
                    List.of(
                            event("invoke", id + "-1", "\"op\":\"call\""),
                            event(
                                    "ok",
                                    id + "-1",
                                    "\"value\":\"00" + HexFormat.of().formatHex(reply) + "\""),
                            event("invoke", id + "-2", "\"op\":\"call\""),
                            event("ok", id + "-2", "")),
                    withoutTimes(file));
        }
        await().untilAsserted(() ->
                assertFalse(OpenFiles.in(folder).contains(file), "a closed client still has its history file open"));
        Path lonely = folder.resolve("lonely-history");
        String nobody = Member.format(FreePorts.members(3));
        try (AmoClient client = AmoClient.builder("count")
                .members(nobody)
                .insecure()
                .history(lonely, "c")
                .onSend(id -> sent.clear())
                .build()) {
            assertThrows(AmoNotExecutedException.class, () -> client.call(new byte[1], Duration.ofMillis(100)));
            assertEquals(
                    List.of(
                            event("invoke", client.id() + "-1", "\"op\":\"call\""),
                            event("fail", client.id() + "-1", "\"reason\":\"NO_MEMBER\"")),
                    withoutTimes(lonely));
            assertEquals(2, sent.size(), "nothing left");
        }
    }

    private static String event(String type, String id, String more) {
        return "{\"type\":\"" + type + "\",\"client\":\"c\",\"id\":\"" + id + "\"" + (more.isEmpty() ? "" : "," + more)
                + "}";
    }

    private static List<String> withoutTimes(Path file) throws IOException {
        return Files.readAllLines(file).stream()
                .map(line -> line.replaceAll(",\"t\":\\d+", ""))
                .toList();
    }

    private static void assertMistake(AmoClient.Builder builder, String line) {
        try (AmoClient client = builder.build()) {
            AmoNotExecutedException why =
                    assertThrows(AmoNotExecutedException.class, () -> client.call(new byte[1], Duration.ofSeconds(30)));
            assertTrue(why.getMessage().contains(line), why.getMessage());
            assertEquals(1, why.getMessage().lines().count());
        }
    }

    /** X1 and X2: call, copy, acknowledge, copy again at every member; and 2,000 calls leave every member alike. */
    @Test
    @Order(3)
    void aLateCopyAfterItsAcknowledgementIsRefusedAtEveryMember() throws Exception {
        Repeating repeating = repeating();
        try (AmoClient client = repeating.client()) {
            long first = Long.parseLong(new String(client.call("x".getBytes(UTF_8)), UTF_8));
            long number = repeating.links().latest();
            for (int member = 0; member < 3; member++) {
                Answer copy = repeating.links().repeat(member, number);
                assertEquals(Answer.Kind.REPLY, copy.kind());
                assertEquals(first, Long.parseLong(new String(Payloads.open(copy.reply()), UTF_8)));
            }
            List<CompletableFuture<byte[]>> calls = new ArrayList<>();
            for (int i = 0; i < 2_000; i++) {
                calls.add(client.callAsync("x".getBytes(UTF_8)).toCompletableFuture());
            }
            for (CompletableFuture<byte[]> call : calls) {
                call.get(20, TimeUnit.SECONDS);
            }
            // The last acknowledgements leave after a second without a call.
            await().until(() -> replicas.values().stream()
                    .allMatch(replica -> replica.status().entries() == 0));
            for (int member = 0; member < 3; member++) {
                assertEquals(
                        Optional.of(Refusal.STALE),
                        repeating.links().repeat(member, number).refusal());
            }
            assertEquals(first + 2_001, Long.parseLong(new String(client.call("x".getBytes(UTF_8)), UTF_8)));
        }
    }

    private record Repeating(AmoClient client, RepeatingLinks links) {}

    private Repeating repeating() {
        RpcTransport transport = RpcTransport.open("repeating");
        ClientId id = AmoClient.Builder.drawId();
        RepeatingLinks links = new RepeatingLinks(links(transport, id), transport.loop());
        return new Repeating(builder().build(id, IDS, transport.loop(), links, transport::close), links);
    }

    private TcpLinks links(RpcTransport transport, ClientId id) {
        return new TcpLinks(
                transport,
                id,
                "count",
                Member.parseList(members),
                Optional.empty(),
                Optional.empty(),
                false,
                GroupClient.Datagrams.NEVER,
                64 << 20);
    }

    /** X3: call, snapshot, the end of every member, copy. */
    @Test
    @Order(5)
    void aCopyAfterASnapshotAndTheRestartOfAllGetsItsReplyAndDoesNotRunAgain() throws Exception {
        Repeating repeating = repeating();
        repeating.links().loseAcknowledgements();
        try (AmoClient client = repeating.client()) {
            long first = Long.parseLong(new String(client.call("xxx".getBytes(UTF_8)), UTF_8));
            long number = repeating.links().latest();
            List<CompletableFuture<byte[]>> calls = new ArrayList<>();
            try (AmoClient other = client()) {
                for (int i = 0; i < 400; i++) {
                    calls.add(other.callAsync("x".repeat(1_000).getBytes(UTF_8)).toCompletableFuture());
                }
                for (CompletableFuture<byte[]> call : calls) {
                    call.get(20, TimeUnit.SECONDS);
                }
            }
            await().until(() -> snapshots() > 0);
            replicas.values().forEach(AmoReplica::close);
            replicas.clear();
            startAll();
            for (int member = 0; member < 3; member++) {
                Answer copy = repeating.links().repeat(member, number);
                assertEquals(Optional.empty(), copy.refusal());
                assertEquals(Answer.Kind.REPLY, copy.kind());
                assertEquals(first, Long.parseLong(new String(Payloads.open(copy.reply()), UTF_8)));
            }
            await().until(() -> counts.values().stream().allMatch(count -> count.get() == first + 400_000));
            assertEquals(first + 400_001, Long.parseLong(new String(client.call("x".getBytes(UTF_8)), UTF_8)));
        }
    }

    private long snapshots() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.getFileName().toString().contains("snapshot"))
                    .count();
        }
    }

    @Test
    @Order(4)
    void aMemberThatLeavesGracefullyFailsNoCall() throws Exception {
        try (AmoClient client = client()) {
            String leader = replicas.get("a").status().leader();
            // Until a member has told it who leads, it may be another's.
            await().until(() -> {
                client.call("x".getBytes(UTF_8));
                return client.servedBy().equals(leader);
            });
            long before = Long.parseLong(new String(client.call("x".getBytes(UTF_8)), UTF_8));
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
            // Counted a moment after the reply that shows it.
            await().until(() -> client.moves() > 0);
            replicas.put(leader, startOne(leader));
        }
    }
}
