package org.amo.replication;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.base.ClientId;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicaStatus;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.request.Answer;
import org.amo.core.request.Principal;
import org.amo.core.request.Refusal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.amo.meetings.OpenFiles;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Three replicas over RAFT in one JVM. Replicas in processes of their own are tested with CORBA on top. */
@Execution(ExecutionMode.CONCURRENT)
class RunningReplicaTest {
    private static final ClientId CLIENT = new ClientId(1, 2);

    @TempDir
    Path folder;

    private final List<ReplicatedService> replicas = new ArrayList<>();
    private final List<OrderedLogException> ended = new CopyOnWriteArrayList<>();
    private final List<AtomicLong> executed = List.of(new AtomicLong(), new AtomicLong(), new AtomicLong());

    @BeforeEach
    void startThree() throws Exception {
        List<Member> members = FreePorts.members(3);
        List<CompletableFuture<ReplicatedService>> opening = new ArrayList<>();
        for (Member member : members) {
            AtomicLong count = executed.get(opening.size());
            ReplicaSettings settings = ReplicaSettings.builder("counter", member.id(), members)
                    .log(ReplicaSettings.Log.FILE)
                    .data(folder)
                    .history(Optional.of(folder.resolve("history-" + member.id())))
                    .build();
            opening.add(CompletableFuture.supplyAsync(
                    () -> new ReplicationProvider()
                            .open(
                                    settings,
                                    (position, time, request) -> Long.toString(count.incrementAndGet())
                                            .getBytes(UTF_8),
                                    ended::add),
                    task -> new Thread(task).start()));
        }
        for (CompletableFuture<ReplicatedService> each : opening) {
            replicas.add(each.get(30, TimeUnit.SECONDS));
        }
        await().atMost(Duration.ofSeconds(20)).until(() -> replicas.stream()
                .allMatch(replica -> replica.status().orderedTimeMillis() > 0));
    }

    @AfterEach
    void close() {
        assertEquals(List.of(), ended);
        replicas.forEach(ReplicatedService::close);
        assertEquals(List.of(), OpenFiles.in(folder), "a closed member has no open file");
    }

    @Test
    void aRequestIsExecutedAtAllAndAnsweredByTheOneThatGotIt() throws Exception {
        for (int number = 1; number <= 30; number++) {
            Answer answer = call(number % 3, number, FinishedNumbers.of(number - 1));
            assertEquals(Answer.Kind.REPLY, answer.kind());
            assertArrayEquals(Integer.toString(number).getBytes(UTF_8), answer.reply());
        }
        await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
            assertEquals(30, executed.get(0).get());
            assertEquals(
                    1,
                    replicas.stream()
                            .map(replica -> replica.status().digest())
                            .distinct()
                            .count());
            assertEquals(List.of(1L, 1L, 1L), entries());
        });
    }

    @Test
    void aLateCopyAfterItsAcknowledgementIsRefusedEverywhere() throws Exception {
        Answer first = call(0, 1, FinishedNumbers.NONE);
        assertArrayEquals(first.reply(), call(1, 1, FinishedNumbers.NONE).reply());
        call(2, 2, FinishedNumbers.of(1));
        // A member that has not yet delivered the acknowledgement still answers from its cache; the second execution
        // tells that it has.
        await().atMost(Duration.ofSeconds(10))
                .until(() ->
                        executions().equals(List.of(2L, 2L, 2L)) && entries().equals(List.of(1L, 1L, 1L)));
        for (int replica = 0; replica < 3; replica++) {
            Answer late = call(replica, 1, FinishedNumbers.NONE);
            assertEquals(Optional.of(Refusal.STALE), late.refusal());
        }
        await().atMost(Duration.ofSeconds(10)).until(() -> entries().equals(List.of(1L, 1L, 1L)));
        assertEquals(List.of(2L, 2L, 2L), executions());
    }

    @Test
    void copiesThatArriveTogetherShareAnEntry() throws Exception {
        call(0, 1, FinishedNumbers.NONE);
        long before = requestEntries(1);
        List<CompletableFuture<Answer>> answers = new ArrayList<>();
        List<ReplicatedService.Arrival> together = new ArrayList<>();
        for (int number = 2; number <= 9; number++) {
            CompletableFuture<Answer> answer = new CompletableFuture<>();
            answers.add(answer);
            together.add(new ReplicatedService.Arrival(
                    request(0, number), FinishedNumbers.NONE, Principal.UNKNOWN, answer::complete));
        }
        replicas.get(0).submitAll(together);
        for (CompletableFuture<Answer> answer : answers) {
            assertEquals(Answer.Kind.REPLY, answer.get(20, TimeUnit.SECONDS).kind());
        }
        assertEquals(before + 1, requestEntries(9));
    }

    @Test
    void whatIsHandedInWhileTheReplicaAnswersSharesAnEntry() throws Exception {
        call(0, 1, FinishedNumbers.NONE);
        long before = requestEntries(1);
        List<CompletableFuture<Answer>> answers = new ArrayList<>();
        for (int number = 3; number <= 9; number++) {
            answers.add(new CompletableFuture<>());
        }
        // In the thread that owns the replica: what is handed in here waits until this has ended.
        replicas.get(0).submit(request(0, 2), FinishedNumbers.NONE, first -> {
            for (int i = 0; i < answers.size(); i++) {
                replicas.get(0).submit(request(first, 3 + i), FinishedNumbers.NONE, answers.get(i)::complete);
            }
        });
        for (CompletableFuture<Answer> answer : answers) {
            assertEquals(Answer.Kind.REPLY, answer.get(20, TimeUnit.SECONDS).kind());
        }
        assertEquals(before + 2, requestEntries(9));
    }

    @Test
    void anAcknowledgementTakesMemoryUntilTheReplicaHasSeenIt() throws Exception {
        CompletableFuture<Boolean> atOnce = new CompletableFuture<>();
        CompletableFuture<Void> taken = new CompletableFuture<>();
        // In the thread that owns the replica: what is handed in here waits until this has ended.
        replicas.get(0).submit(request(0, 1), FinishedNumbers.NONE, first -> {
            replicas.get(0).acknowledge(CLIENT, FinishedNumbers.of(1), () -> taken.complete(null));
            atOnce.complete(taken.isDone());
        });
        assertFalse(atOnce.get(20, TimeUnit.SECONDS));
        taken.get(20, TimeUnit.SECONDS);
    }

    /**
     * Entries with requests that the first member has delivered, once it has executed so many. A busy member tells its
     * status of a while ago.
     */
    private long requestEntries(long executed) {
        ReplicaStatus status = await().atMost(Duration.ofSeconds(10))
                .until(() -> replicas.get(0).status(), now -> now.executed() >= executed);
        return status.orderedEntries().getOrDefault("requests", 0L);
    }

    private List<Long> executions() {
        return executed.stream().map(AtomicLong::get).toList();
    }

    private List<Long> entries() {
        return replicas.stream()
                .map(ReplicatedService::status)
                .map(ReplicaStatus::entries)
                .toList();
    }

    private Answer call(int replica, long number, FinishedNumbers finished) throws Exception {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        replicas.get(replica).submit(request(replica, number), finished, answer::complete);
        return answer.get(20, TimeUnit.SECONDS);
    }

    private Request request(int replica, long number) {
        // The group starts with upper a skew ahead of its first stamp, so a first timestamp lies above that.
        ReplicaStatus status = replicas.get(replica).status();
        return request(number, Math.max(status.upperMillis() + 1, status.orderedTimeMillis()));
    }

    private static Request request(Answer before, long number) {
        return request(number, Math.max(before.upperMillis() + 1, before.orderedTimeMillis()));
    }

    private static Request request(long number, long timestamp) {
        return new Request(RequestId.own(CLIENT, number), timestamp, timestamp + 10_000, number, false, new byte[8]);
    }
}
