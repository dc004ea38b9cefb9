package org.amo.replication;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.amo.base.ClientId;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicaStatus;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.request.Answer;
import org.amo.core.request.Principal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The servant of the leader hangs, at this member alone: a full pipe, a lock of its own, a file system that does not answer. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class HungServantTest {
    private static final ClientId CLIENT = new ClientId(7, 7);
    private static final Duration BOUND = Duration.ofSeconds(40);
    private static final int BATCH = 500;
    /** More than wait for the servant of one member. */
    private static final int CALLS = 22_000;

    @TempDir
    private Path folder = Path.of("unset");

    private final Map<String, ReplicatedService> replicas = new LinkedHashMap<>();
    private final Map<String, AtomicLong> counters = new LinkedHashMap<>();
    private final Map<String, ReentrantLock> locks = new LinkedHashMap<>();
    private final List<OrderedLogException> ended = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        replicas.values().forEach(ReplicatedService::close);
    }

    @Test
    void theOthersAnswerAndItGoesOnWhenTheServantDoes() throws Exception {
        open();
        String hung = leader();
        String asked = replicas.keySet().stream()
                .filter(id -> !id.equals(hung))
                .findFirst()
                .orElseThrow();
        locks.get(hung).lock();
        try {
            for (int first = 1; first < CALLS; first += BATCH) {
                callAll(asked, first);
            }
            assertEquals(0, counters.get(hung).get());
            assertNotEquals(hung, status(asked).leader());
        } finally {
            locks.get(hung).unlock();
        }
        await().atMost(BOUND).until(() -> counters.values().stream().allMatch(count -> count.get() == CALLS));
        await().atMost(BOUND)
                .until(() -> replicas.values().stream()
                                .map(replica -> replica.status().digest())
                                .distinct()
                                .count()
                        == 1);
        assertEquals(List.of(), ended);
    }

    /** Each is sent again while the group has no leader. */
    private void callAll(String member, int first) throws Exception {
        Map<Integer, Request> left = new LinkedHashMap<>();
        long time = Math.max(status(member).upperMillis() + 1, status(member).orderedTimeMillis());
        for (int number = first; number < first + BATCH; number++) {
            left.put(
                    number,
                    new Request(RequestId.own(CLIENT, number), time, time + 60_000, number, false, new byte[8]));
        }
        while (!left.isEmpty()) {
            Map<Integer, CompletableFuture<Answer>> answers = new LinkedHashMap<>();
            List<ReplicatedService.Arrival> arrivals = new ArrayList<>();
            left.forEach((number, request) -> {
                CompletableFuture<Answer> answer = new CompletableFuture<>();
                answers.put(number, answer);
                arrivals.add(new ReplicatedService.Arrival(
                        request, FinishedNumbers.of(first - 1), Principal.UNKNOWN, answer::complete));
            });
            replicas.get(member).submitAll(arrivals);
            for (Map.Entry<Integer, CompletableFuture<Answer>> each : answers.entrySet()) {
                Answer answer = each.getValue().get(BOUND.toSeconds(), TimeUnit.SECONDS);
                if (answer.kind() == Answer.Kind.REPLY) {
                    assertEquals(Integer.toString(each.getKey()), new String(answer.reply(), UTF_8));
                    left.remove(each.getKey());
                }
            }
        }
    }

    private String leader() {
        return await().atMost(BOUND).until(() -> status("a").leader(), leader -> !leader.isEmpty());
    }

    private ReplicaStatus status(String member) {
        return replicas.get(member).status();
    }

    private void open() throws Exception {
        List<Member> members = FreePorts.members(3);
        List<CompletableFuture<ReplicatedService>> opening = new ArrayList<>();
        for (Member member : members) {
            AtomicLong count = new AtomicLong();
            ReentrantLock lock = new ReentrantLock();
            counters.put(member.id(), count);
            locks.put(member.id(), lock);
            ReplicaSettings settings = ReplicaSettings.builder("hung", member.id(), members)
                    .log(ReplicaSettings.Log.FILE)
                    .data(folder)
                    .build();
            opening.add(CompletableFuture.supplyAsync(
                    () -> new ReplicationProvider()
                            .open(
                                    settings,
                                    (position, time, request) -> {
                                        lock.lock();
                                        try {
                                            return Long.toString(count.incrementAndGet())
                                                    .getBytes(UTF_8);
                                        } finally {
                                            lock.unlock();
                                        }
                                    },
                                    ended::add),
                    task -> new Thread(task).start()));
        }
        for (int i = 0; i < members.size(); i++) {
            replicas.put(members.get(i).id(), opening.get(i).get(30, TimeUnit.SECONDS));
        }
        await().atMost(BOUND).until(() -> replicas.values().stream()
                .allMatch(replica -> replica.status().orderedTimeMillis() > 0));
    }
}
