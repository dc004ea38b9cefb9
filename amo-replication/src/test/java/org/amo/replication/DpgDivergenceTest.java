package org.amo.replication;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.ReplicaStatus;
import org.amo.replication.order.Groups;
import org.amo.replication.order.dpg.DpgLog;
import org.amo.replication.service.AmoClient;
import org.amo.replication.service.AmoHandler;
import org.amo.replication.service.AmoReplica;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rows A14 and A18: members of a commutative service over DPG compare their digests, also behind a violated order. */
@Timeout(120)
class DpgDivergenceTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    private static final AmoHandler ECHO = (request, context) -> request;

    /** A member that draws has another reply than the others. */
    private static final String DRAW = "draw";

    private final List<Member> members = FreePorts.members(3);
    private final String group = Groups.freshName();
    private final Map<String, AmoReplica> replicas = new TreeMap<>();
    private final CompletableFuture<OrderedLogException> ended = new CompletableFuture<>();

    @AfterEach
    void close() {
        replicas.values().forEach(AmoReplica::close);
    }

    /** After the draw come no requests, and marks end with the requests: the next mark finds it, or the one after that. */
    @Test
    void aMemberThatDrawsAtRandomIsFoundAtTheNextMarks() throws Exception {
        start("a", ECHO, List::of);
        start("b", ECHO, List::of);
        start("c", (request, context) -> text(request).equals(DRAW) ? drawn() : request, List::of);
        try (AmoClient client = client()) {
            for (int i = 1; i <= 20; i++) {
                call(client, "call " + i);
            }
            call(client, DRAW);
            String why = ended.get(30, TimeUnit.SECONDS).getMessage();
            assertTrue(
                    why.startsWith("member c of group " + group + " ends, since it differs first at position "), why);
            assertTrue(why.contains(" of the log, operation unknown, request "), why);
            assertEquals("still here", call(client, "still here"));
        }
        assertEquals("", status("a").divergence());
        assertEquals("", status("b").divergence());
    }

    /**
     * The member that the clients call gets its entries in the order of the log, so that no call waits for the next one. They take turns: behind
     * the next request of its own client, a request would come acknowledged, and be refused.
     */
    @Test
    void noMemberIsAccusedOfAnotherOrder() throws Exception {
        Set<String> violating = ConcurrentHashMap.newKeySet();
        AtomicInteger exchanged = new AtomicInteger();
        for (int i = 0; i < 3; i++) {
            String id = members.get(i).id();
            start(id, ECHO, exchanging(3 + i, () -> violating.contains(id), exchanged));
        }
        try (AmoClient client = client();
                AmoClient second = client();
                AmoClient third = client()) {
            List<AmoClient> turns = List.of(second, third, client);
            turns.forEach(each -> call(each, "first"));
            violating.addAll(List.of("a", "b", "c"));
            turns.forEach(each -> violating.remove(each.servedBy()));
            assertFalse(violating.isEmpty());
            for (int i = 0; i < 300; i++) {
                call(turns.get(i % 3), "call " + i);
            }
            violating.clear();
            call(second, "the next one");
            await().atMost(LONG).until(() -> {
                call(client, "last");
                return equal(ReplicaStatus::digest)
                        && replicas.keySet().stream()
                                .allMatch(id -> status(id).divergence().isEmpty());
            });
        }
        assertTrue(exchanged.get() > 20, "exchanged: " + exchanged);
        replicas.keySet().forEach(id -> assertEquals(0, status(id).diverged(), id));
        assertFalse(ended.isDone());
    }

    /** Until it starts again: it takes the entries of another member then. */
    @Test
    void aMemberThatLacksARequestForGoodIsToldOfInTheStatus() throws Exception {
        start("a", ECHO, List::of);
        start("b", ECHO, List::of);
        start("c", ECHO, entry -> text(entry).contains("lost") ? List.of() : List.of(entry));
        try (AmoClient client = client()) {
            call(client, "first");
            call(client, "lost");
            await().atMost(LONG).until(() -> {
                call(client, "next");
                return status("a").divergence().contains("has executed other requests than c since position ")
                        && status("c").divergence().contains("has executed other requests than a, b since position ");
            });
            replicas.keySet().forEach(id -> {
                assertEquals(0, status(id).diverged(), id);
                assertTrue(status(id).incomparableVotes() >= 3, id);
            });
            assertFalse(ended.isDone());

            replicas.get("c").close();
            start("c", ECHO, List::of);
            await().atMost(LONG).until(() -> {
                call(client, "again");
                return status("a").divergence().isEmpty() && equal(ReplicaStatus::digest);
            });
        }
    }

    // -------------------------------------------------

    /** Each of so many entries comes behind the next one. */
    private static Function<byte[], List<byte[]>> exchanging(
            int every, BooleanSupplier violates, AtomicInteger exchanged) {
        List<byte[]> late = new ArrayList<>();
        AtomicInteger came = new AtomicInteger();
        return entry -> {
            if (violates.getAsBoolean() && late.isEmpty() && came.incrementAndGet() % every == 0) {
                late.add(entry);
                return List.of();
            }
            List<byte[]> now = new ArrayList<>(List.of(entry));
            now.addAll(late);
            exchanged.addAndGet(late.size());
            late.clear();
            return now;
        };
    }

    private void start(String id, AmoHandler handler, Function<byte[], List<byte[]>> path) {
        AmoReplica replica = AmoReplica.builder(group)
                .id(id)
                .members(Member.format(members))
                .data(Path.of("unused"))
                .insecure()
                .orderedLog(settings -> new ViolatingLog(new DpgLog(settings), path))
                .handler(handler)
                .commutative()
                .onEnded(ended::complete)
                .start();
        replicas.put(id, replica);
    }

    private AmoClient client() {
        return AmoClient.builder(group)
                .members(Member.format(members))
                .insecure()
                .build();
    }

    private static String call(AmoClient client, String request) {
        return text(client.call(request.getBytes(StandardCharsets.UTF_8), Duration.ofSeconds(20)));
    }

    private ReplicaStatus status(String id) {
        return replicas.get(id).status();
    }

    private boolean equal(Function<ReplicaStatus, String> figure) {
        return replicas.keySet().stream()
                        .map(id -> figure.apply(status(id)))
                        .distinct()
                        .count()
                == 1;
    }

    private static byte[] drawn() {
        return UUID.randomUUID().toString().getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
