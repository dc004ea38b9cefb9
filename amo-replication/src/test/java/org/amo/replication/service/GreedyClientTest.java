package org.amo.replication.service;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.amo.base.ClientId;
import org.amo.core.order.Member;
import org.amo.core.replica.GroupParameters;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicaStatus;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.replica.ReplicatedService.Arrival;
import org.amo.core.request.Answer;
import org.amo.core.request.Budget;
import org.amo.core.request.Principal;
import org.amo.core.request.Refusal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.amo.replication.FreePorts;
import org.amo.replication.ReplicationProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client that never acknowledges, beside others, over RAFT and TCP. */
class GreedyClientTest {
    private static final int CALLS = Boolean.getBoolean("amo.allSeeds") ? 20_000 : 10_000;

    /** Calls beyond these are refused, since the client has used its share of the bytes. */
    private static final int MOST_TAKEN = 7_000;

    private static final Principal GREEDY = Principal.address(new byte[] {10, 0, 0, 1});
    private static final Principal OTHER = Principal.address(new byte[] {10, 0, 0, 2});

    @TempDir
    Path folder;

    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    /** Thousands of calls of one client without an acknowledgement, then as many of 600 others, acknowledged. */
    @Test
    void allOtherClientsGoOnBesideOneThatNeverAcknowledges() throws Exception {
        List<ReplicatedService> members =
                start(GroupParameters.builder().budgetBytes(3 << 20).build());
        Map<Answer.Kind, Integer> greedy = new EnumMap<>(Answer.Kind.class);
        long timestamp = timestamp(members.get(0));
        for (int from = 1; from <= CALLS; from += 500) {
            List<CompletableFuture<Answer>> answers = new ArrayList<>();
            for (int number = from; number < from + 500; number++) {
                answers.add(submit(
                        members.get(number % 3),
                        request(new ClientId(1, 1), number, timestamp),
                        FinishedNumbers.NONE,
                        GREEDY));
            }
            for (CompletableFuture<Answer> each : answers) {
                Answer answer = each.get(60, TimeUnit.SECONDS);
                greedy.merge(answer.kind(), 1, Integer::sum);
                if (answer.kind() == Answer.Kind.REFUSED) {
                    assertEquals(Optional.of(Budget.CLIENT_BYTES), answer.budget());
                }
            }
        }
        int others = 0;
        for (int round = 1; round <= CALLS / 600; round++) {
            List<CompletableFuture<Answer>> answers = new ArrayList<>();
            for (int client = 0; client < 600; client++) {
                // Half of them share the address of the greedy one.
                answers.add(submit(
                        members.get(client % 3),
                        request(new ClientId(2, client), round, timestamp),
                        FinishedNumbers.of(round - 1),
                        client % 2 == 0 ? GREEDY : OTHER));
            }
            for (CompletableFuture<Answer> each : answers) {
                assertEquals(Answer.Kind.REPLY, each.get(60, TimeUnit.SECONDS).kind());
                others++;
            }
        }
        System.out.println("greedy client: " + greedy + "; others: " + others + " replies; "
                + members.get(0).status().overloads());
        assertTrue(greedy.get(Answer.Kind.REPLY) > 1_800, greedy::toString);
        assertTrue(greedy.get(Answer.Kind.REFUSED) > CALLS - MOST_TAKEN, greedy::toString);
        await().atMost(Duration.ofSeconds(20))
                .until(() -> members.stream()
                                .map(ReplicatedService::status)
                                .map(ReplicaStatus::digest)
                                .distinct()
                                .count()
                        == 1);
    }

    @Test
    void aRefusedClientIsToldWhichBudgetIsUsedUp() throws Exception {
        List<Member> members = FreePorts.members(1);
        AmoReplica replica = AmoReplica.builder("greed")
                .id(members.get(0).id())
                .members(Member.format(members))
                .data(folder)
                .log(ReplicaSettings.Log.FILE)
                .insecure()
                .parameters(GroupParameters.builder().clientCallsPerSecond(1).build())
                .handler((request, context) -> request)
                .start();
        open.add(replica);
        try (AmoClient client = AmoClient.builder("greed")
                .members(Member.format(members))
                .insecure()
                .build()) {
            assertArrayEquals("1".getBytes(UTF_8), client.call("1".getBytes(UTF_8)));
            AmoNotExecutedException why = assertThrows(
                    AmoNotExecutedException.class, () -> client.call("2".getBytes(UTF_8), Duration.ofMillis(300)));
            assertEquals(Optional.of(Refusal.OVERLOADED), why.reason());
            assertEquals(Optional.of(Budget.CLIENT_RATE), why.budget());
            assertTrue(String.valueOf(why.getMessage()).contains("more calls a second"), why.getMessage());
            assertArrayEquals("3".getBytes(UTF_8), client.call("3".getBytes(UTF_8)), "a second later it is served");
        }
        assertTrue(replica.status().overloads().getOrDefault("CLIENT_RATE", 0L) > 0);
    }

    private List<ReplicatedService> start(GroupParameters parameters) throws Exception {
        List<Member> members = FreePorts.members(3);
        List<CompletableFuture<ReplicatedService>> opening = new ArrayList<>();
        for (Member member : members) {
            ReplicaSettings settings = ReplicaSettings.builder("greed", member.id(), members)
                    .log(ReplicaSettings.Log.MEMORY)
                    .data(folder)
                    .parameters(parameters)
                    .build();
            opening.add(CompletableFuture.supplyAsync(() ->
                    new ReplicationProvider().open(settings, (position, time, request) -> request.body(), why -> {})));
        }
        List<ReplicatedService> started = new ArrayList<>();
        for (CompletableFuture<ReplicatedService> each : opening) {
            started.add(each.get(30, TimeUnit.SECONDS));
            open.add(started.get(started.size() - 1));
        }
        await().atMost(Duration.ofSeconds(20))
                .until(() -> started.stream().allMatch(member -> member.status().orderedTimeMillis() > 0));
        return started;
    }

    /** One that all members accept for the time of the test. */
    private static long timestamp(ReplicatedService member) {
        ReplicaStatus status = member.status();
        return Math.max(status.upperMillis() + 1, status.orderedTimeMillis());
    }

    private static Request request(ClientId client, long number, long timestamp) {
        return new Request(RequestId.own(client, number), timestamp, timestamp + 500_000, number, false, new byte[50]);
    }

    private static CompletableFuture<Answer> submit(
            ReplicatedService member, Request request, FinishedNumbers finished, Principal principal) {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        member.submitAll(List.of(new Arrival(request, finished, principal, answer::complete)));
        return answer;
    }
}
