package org.amo.replication.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicaStatus;
import org.amo.replication.ReplicationProvider;
import org.amo.replication.order.InMemoryLogs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Groups of style passive, of services that no two members would run alike. */
@Timeout(60)
final class PassiveGroupTest {
    private static final AtomicLong EXECUTIONS = new AtomicLong();

    interface Draws {
        long draw(String call);

        Map<String, Long> drawn();
    }

    /** Draws a number of its own for each call, and says so if a call comes twice. */
    static final class DrawsService implements Draws {
        private final Map<String, Long> drawn = new HashMap<>();
        private final transient Random random = new Random();

        @Override
        public long draw(String call) {
            EXECUTIONS.incrementAndGet();
            long number = (System.nanoTime() & 0xFFFF) << 32 | random.nextInt(Integer.MAX_VALUE);
            if (drawn.put(call, number) != null) {
                throw new IllegalStateException("call " + call + " runs a second time");
            }
            return number;
        }

        @Override
        public Map<String, Long> drawn() {
            return drawn;
        }
    }

    @Test
    void oneMemberRunsEachRequestAndAllHaveItsState() throws Exception {
        EXECUTIONS.set(0);
        try (EmbeddedGroup group = EmbeddedGroup.ofPassive(3, Draws.class, DrawsService::new)) {
            Draws draws = group.client().proxy(Draws.class);
            Map<String, Long> expected = new HashMap<>();
            for (int i = 0; i < 100; i++) {
                expected.put("call" + i, draws.draw("call" + i));
            }
            assertEquals(100, EXECUTIONS.get());
            String leader = group.status("a").map(ReplicaStatus::leader).orElseThrow();
            assertTrue(group.awaitAgreement(Duration.ofSeconds(10)));
            group.crash(leader);
            assertEquals(expected, draws.drawn());
            assertEquals(100, EXECUTIONS.get());
        }
    }

    interface Names {
        void add(String name);

        /** Leaves a state that cannot be taken. */
        void spoil();

        List<String> all();
    }

    static final class NamesService implements Names {
        private List<String> names = new ArrayList<>();

        @Override
        public void add(String name) {
            names.add(name);
        }

        @Override
        public void spoil() {
            names = new ListOfItsOwn(names);
        }

        @Override
        public List<String> all() {
            return new ArrayList<>(names);
        }
    }

    /** A class that no snapshot can make again. */
    private static final class ListOfItsOwn extends ArrayList<String> {
        private static final long serialVersionUID = 1L;

        private ListOfItsOwn(List<String> names) {
            super(names);
        }
    }

    /** Each primary would run it in turn otherwise, and end. */
    @Test
    void aCallBehindWhichThereIsNoStateIsUndoneAndTheGroupGoesOn() {
        try (EmbeddedGroup group = EmbeddedGroup.ofPassive(3, Names.class, NamesService::new)) {
            Names names = group.client(Duration.ofSeconds(30)).proxy(Names.class);
            names.add("one");
            String primary = leader(group);
            AmoServiceException told = assertThrows(AmoServiceException.class, names::spoil);
            assertEquals(IllegalStateException.class.getName(), told.type());
            assertTrue(String.valueOf(told.getMessage()).contains("NamesService.names"), told::toString);
            assertEquals(List.of("one"), names.all());
            names.add("two");
            group.crash(primary);
            group.restart(primary);
            assertTrue(group.awaitAgreement(Duration.ofSeconds(20)));
            assertEquals(List.of("one", "two"), names.all());
        }
    }

    /** A client that chooses such keys must not end one primary after the other. */
    @Test
    void keysOfOneBucketEndNoPrimary() {
        try (EmbeddedGroup group = EmbeddedGroup.ofPassive(3, Draws.class, DrawsService::new)) {
            Draws draws = group.client().proxy(Draws.class);
            Map<String, Long> expected = new HashMap<>();
            for (String call : KeysOfOneBucket.of(16)) {
                expected.put(call, draws.draw(call));
            }
            group.crash(leader(group));
            assertEquals(expected, draws.drawn());
        }
    }

    @Test
    void eachCallRunsOnceWhileThePrimaryCrashesUnderLoad() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(16);
        try (EmbeddedGroup group = EmbeddedGroup.ofPassive(3, Draws.class, DrawsService::new)) {
            AmoClient client = group.client(Duration.ofSeconds(30));
            Draws draws = client.proxy(Draws.class);
            List<CompletableFuture<Map.Entry<String, Long>>> calls = new ArrayList<>();
            for (int round = 0; round < 6; round++) {
                for (int i = 0; i < 60; i++) {
                    String call = round + "-" + i;
                    calls.add(CompletableFuture.supplyAsync(() -> Map.entry(call, draws.draw(call)), threads));
                }
                String primary = leader(group);
                group.crash(primary);
                for (int i = 60; i < 80; i++) {
                    String call = round + "-" + i;
                    calls.add(CompletableFuture.supplyAsync(() -> Map.entry(call, draws.draw(call)), threads));
                }
                draws.draw("between" + round);
                group.restart(primary);
            }
            Map<String, Long> told = new HashMap<>();
            for (CompletableFuture<Map.Entry<String, Long>> call : calls) {
                Map.Entry<String, Long> reply = call.get(40, TimeUnit.SECONDS);
                told.put(reply.getKey(), reply.getValue());
            }
            Map<String, Long> drawn = draws.drawn();
            told.forEach((call, number) -> assertEquals(number, drawn.get(call), call));
            assertEquals(6 * 80 + 6, drawn.size());
            assertTrue(group.awaitAgreement(Duration.ofSeconds(20)));
        } finally {
            threads.shutdownNow();
        }
    }

    private static String leader(EmbeddedGroup group) {
        return group.members().stream()
                .flatMap(member -> group.status(member).stream())
                .map(ReplicaStatus::leader)
                .filter(leader -> !leader.isEmpty())
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aServiceWithoutAStateIsRefusedAtTheStart() {
        List<Member> members = List.of(new Member("a", "embedded", 1, 1));
        ReplicaSettings settings = ReplicaSettings.builder("g", "a", members)
                .log(ReplicaSettings.Log.MEMORY)
                .style(ReplicaSettings.Style.PASSIVE)
                .build();
        try (InMemoryLogs logs = new InMemoryLogs()) {
            OrderedLogException refused = assertThrows(
                    OrderedLogException.class,
                    () -> ReplicationProvider.open(
                            settings,
                            new HandlerServant("g", (body, context) -> body, Optional.empty(), false),
                            logs.member("a"),
                            why -> {}));
            assertEquals(
                    "member a of group g cannot run in style passive: its service gives no state, which the backups need;"
                            + " give it a state(...), or use style active",
                    refused.getMessage());
        }
    }
}
