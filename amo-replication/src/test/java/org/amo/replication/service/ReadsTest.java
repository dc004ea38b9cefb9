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
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.amo.base.ClientId;
import org.amo.core.client.GroupClient;
import org.amo.core.order.Member;
import org.amo.core.replica.ReplicaSettings;
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

/** Reads of three members in one JVM, over RAFT and TCP. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(60)
final class ReadsTest {
    /** The service. */
    interface Account {
        long add(long amount);

        @ReadOnly
        long balance();

        @ReadOnly
        String run();
    }

    private final Map<String, AmoReplica> replicas = new LinkedHashMap<>();
    private final AtomicInteger readsRun = new AtomicInteger();
    private String members = "";
    private Path folder = Path.of("unset");

    /** Counts reads in all members. */
    private final class CountedAccount implements Account, AmoState {
        private long balance;

        @Override
        public long add(long amount) {
            balance += amount;
            return balance;
        }

        @Override
        public long balance() {
            readsRun.incrementAndGet();
            return balance;
        }

        @Override
        public String run() {
            ReplicaContext context = ReplicaContext.current();
            return context.readOnly() + " '" + context.requestId() + "' " + context.position();
        }

        @Override
        public byte[] take() {
            return Long.toString(balance).getBytes(UTF_8);
        }

        @Override
        public void restore(byte[] state) {
            balance = Long.parseLong(new String(state, UTF_8));
        }
    }

    @BeforeAll
    void start(@TempDir Path data) throws Exception {
        folder = data;
        members = Member.format(FreePorts.members(3));
        List<CompletableFuture<AmoReplica>> starting = new ArrayList<>();
        for (String id : List.of("a", "b", "c")) {
            starting.add(CompletableFuture.supplyAsync(() -> startOne(id)));
        }
        for (CompletableFuture<AmoReplica> each : starting) {
            AmoReplica replica = each.get(30, TimeUnit.SECONDS);
            replicas.put(replica.id(), replica);
        }
    }

    private AmoReplica startOne(String id) {
        return AmoReplica.builder("account")
                .id(id)
                .members(members)
                .data(folder)
                .log(ReplicaSettings.Log.FILE)
                .insecure()
                .service(Account.class, new CountedAccount())
                .start();
    }

    @AfterAll
    void close() {
        replicas.values().forEach(AmoReplica::close);
    }

    private AmoClient client() {
        return AmoClient.builder("account")
                .members(members)
                .insecure()
                .deadline(Duration.ofSeconds(20))
                .build();
    }

    @Test
    @Order(1)
    void aReadSeesEachCallBeforeItAndWritesNoEntry() {
        try (AmoClient client = client();
                AmoClient other = client()) {
            Account account = client.proxy(Account.class);
            Account reader = other.proxy(Account.class);
            assertTrue(client.awaitReady(Duration.ofSeconds(20)).isReady());
            assertTrue(replicas.get("a").awaitReady(Duration.ofSeconds(20)).isReady());
            for (int i = 1; i <= 50; i++) {
                assertEquals(i, account.add(1));
                assertEquals(i, reader.balance());
            }
            assertEquals(50, readsRun.get(), "one member ran each read");
            await().atMost(Duration.ofSeconds(20)).until(() -> executed() == 50);
            for (int i = 0; i < 100; i++) {
                assertEquals(50, reader.balance());
            }
            assertEquals(50, executed(), "requests executed");
            String run = reader.run();
            assertTrue(run.startsWith("true '' "), run);
        }
    }

    private long executed() {
        return replicas.get("a").status().executed();
    }

    @Test
    @Order(2)
    void staleReadsOfAnyMemberAreNoOlderThanTheyMayBe() {
        try (AmoClient client = client()) {
            long balance = client.proxy(Account.class).add(1);
            for (int i = 0; i < 6; i++) {
                try (AmoClient other = client()) {
                    Account stale =
                            other.with(CallOptions.stale(Duration.ofMinutes(1))).proxy(Account.class);
                    long seen = stale.balance();
                    assertTrue(seen <= balance, "seen " + seen);
                    Account fresh =
                            other.with(CallOptions.stale(Duration.ofMillis(1))).proxy(Account.class);
                    assertTrue(fresh.balance() <= balance);
                }
            }
        }
    }

    /** These links answer that no member takes reads, as one of an older version does. */
    @Test
    @Order(3)
    void aReadAtAMemberOfAnOlderVersionIsOrdered() {
        RpcTransport transport = RpcTransport.open("older");
        ClientId id = AmoClient.Builder.drawId();
        AmoClient.Builder builder =
                AmoClient.builder("account").members(members).insecure();
        MemberLinks older = new RepeatingLinks(links(transport, id), transport.loop());
        try (AmoClient client = builder.build(
                id,
                List.of("a", "b", "c"),
                transport.loop(),
                links(transport, id),
                Optional.of(older),
                Optional.empty(),
                former -> older,
                transport::close)) {
            String run = client.proxy(Account.class).run();
            assertTrue(run.startsWith("false '" + id + "-"), run);
        }
    }

    private TcpLinks links(RpcTransport transport, ClientId id) {
        return new TcpLinks(
                transport,
                id,
                "account",
                Member.parseList(members),
                Optional.empty(),
                Optional.empty(),
                false,
                GroupClient.Datagrams.NEVER,
                64 << 20);
    }

    @Test
    @Order(4)
    void withoutAMajorityALinearizableReadIsRefusedAndAStaleOneStillRuns() {
        try (AmoClient client = client()) {
            Account account = client.proxy(Account.class);
            long balance = account.add(1);
            // Each member has an index of its own that is fresh enough.
            try (AmoClient other = client()) {
                assertEquals(balance, other.proxy(Account.class).balance());
            }
            replicas.remove("b").close();
            assertEquals(balance, account.balance());
            replicas.remove("c").close();
            Account brief =
                    client.with(CallOptions.deadline(Duration.ofSeconds(3))).proxy(Account.class);
            AmoReadException refused = assertThrows(AmoReadException.class, brief::balance);
            assertFalse(refused.mayHaveRun());
            await().atMost(Duration.ofSeconds(20)).until(() -> !client.health().isReady());
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> !replicas.get("a").health().isReady());
        }
    }
}
