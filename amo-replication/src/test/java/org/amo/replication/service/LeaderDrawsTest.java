package org.amo.replication.service;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.Place;
import org.amo.core.replica.ReplicaSettings.Log;
import org.amo.core.replica.ReplicaSettings.RandomSource;
import org.amo.replication.FreePorts;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Random numbers of plain Java services from the seed that the order carries. */
@Timeout(120)
final class LeaderDrawsTest {
    @TempDir
    private Path data = Path.of("unset");

    private final String members = Member.format(FreePorts.members(3));
    private final Map<String, AmoReplica> replicas = new LinkedHashMap<>();

    /** The draws of each life of each member, in the order of the log. */
    private final Map<String, List<String>> drawn = new LinkedHashMap<>();

    @AfterEach
    void close() {
        replicas.values().forEach(AmoReplica::close);
    }

    private AmoReplica start(String member, String life, RandomSource random) {
        List<String> draws = new ArrayList<>();
        synchronized (drawn) {
            drawn.put(life, draws);
        }
        return AmoReplica.builder("draws")
                .id(member)
                .members(members)
                .data(data)
                .log(Log.FILE)
                .insecure()
                .random(random)
                .handler((request, context) -> {
                    byte[] key = new byte[16];
                    context.random().nextBytes(key);
                    String text = java.util.HexFormat.of().formatHex(key);
                    synchronized (drawn) {
                        draws.add(text);
                    }
                    return text.getBytes(UTF_8);
                })
                .withoutSnapshots()
                .start();
    }

    private void startAll(String life, RandomSource random) {
        Map<String, CompletableFuture<AmoReplica>> starting = new LinkedHashMap<>();
        for (String member : List.of("a", "b", "c")) {
            starting.put(member, CompletableFuture.supplyAsync(() -> start(member, member + life, random)));
        }
        starting.forEach((member, started) -> replicas.put(member, started.join()));
    }

    private List<String> draws(String life) {
        synchronized (drawn) {
            return List.copyOf(drawn.getOrDefault(life, List.of()));
        }
    }

    private void call(int times, List<String> replies) throws Exception {
        try (AmoClient client =
                AmoClient.builder("draws").members(members).insecure().build()) {
            for (int i = 0; i < times; i++) {
                replies.add(new String(client.call("x".getBytes(UTF_8)), UTF_8));
            }
        }
    }

    @Test
    void allMembersAndEachReplayDrawTheSame() throws Exception {
        startAll("1", RandomSource.LEADER);
        List<String> replies = new ArrayList<>();
        call(30, replies);
        Set<String> different = new HashSet<>(replies);
        assertEquals(30, different.size());
        for (String life : List.of("a1", "b1", "c1")) {
            await().atMost(Duration.ofSeconds(20)).until(() -> draws(life).equals(replies));
        }

        // Back to the other source, with the same log: old entries are replayed as they were made.
        replicas.values().forEach(AmoReplica::close);
        startAll("2", RandomSource.SEEDED);
        call(5, replies);
        for (String life : List.of("a2", "b2", "c2")) {
            await().atMost(Duration.ofSeconds(20)).until(() -> draws(life).equals(replies));
        }
    }

    @Test
    void aMemberWithAnotherSourceDoesNotStart() {
        CompletableFuture<AmoReplica> b = CompletableFuture.supplyAsync(() -> start("b", "b", RandomSource.LEADER));
        replicas.put("a", start("a", "a", RandomSource.LEADER));
        replicas.put("b", b.join());
        await().atMost(Duration.ofSeconds(20)).until(() -> replicas.values().stream()
                .allMatch(replica -> replica.status().orderedTimeMillis() > 0));
        OrderedLogException refused =
                assertThrows(OrderedLogException.class, () -> start("c", "c", RandomSource.SEEDED));
        assertEquals(OrderedLogException.Fault.USER, refused.fault());
        assertEquals(
                "member c of group draws has random(...) 'seeded', and members a, b 'leader'; give all members the"
                        + " same value, and stop all of them to change it",
                refused.getMessage());
        assertEquals(List.of(), draws("c"));
    }

    @Test
    void numbersFollowFromTheSeedAndThePlaceAlone() {
        byte[] seed = new byte[32];
        SeededRandom random = new SeededRandom(seed, new Place(7, 1));
        SeededRandom same = new SeededRandom(seed, new Place(7, 1));
        SeededRandom otherIndex = new SeededRandom(seed, new Place(7, 2));
        SeededRandom otherPosition = new SeededRandom(seed, new Place(8, 1));
        seed[0]++;
        SeededRandom otherSeed = new SeededRandom(seed, new Place(7, 1));
        Set<Long> seen = new HashSet<>();
        int ones = 0;
        for (int i = 0; i < 1_000; i++) {
            long drawn = random.nextLong();
            assertEquals(drawn, same.nextLong());
            assertTrue(seen.add(drawn));
            assertNotEquals(drawn, otherIndex.nextLong());
            assertNotEquals(drawn, otherPosition.nextLong());
            assertNotEquals(drawn, otherSeed.nextLong());
            ones += Long.bitCount(drawn);
        }
        assertEquals(32_000, ones, 1_000, "of 64,000 bits");
    }
}
