package org.amo.replication;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.amo.base.ClientId;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicaStatus;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.replica.ServantPort;
import org.amo.core.request.Answer;
import org.amo.core.request.Principal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.amo.replication.order.InMemoryLogs;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three replicas over RAFT in one JVM, which run operations on different keys at the same time. */
@Timeout(180)
class ParallelGroupTest {
    private static final Duration BOUND = Duration.ofSeconds(40);
    private static final String LOG_BYTES = "amo.snapshotBytes";
    private static final int KEYS = 20;
    private static final int MEET = -1;
    private static final int CLIENTS = 12;
    private static final int CALLS = 120;

    @TempDir
    Path folder;

    private final List<Member> members = FreePorts.members(3);
    private final List<ReplicatedService> replicas = new ArrayList<>();
    private final List<Counters> servants = new ArrayList<>();
    private final List<OrderedLogException> ended = new CopyOnWriteArrayList<>();

    /** Numbers, each a hash of all that was added to it in its order. A request names the number, a summand, and how long it takes. */
    private static final class Counters implements ServantPort {
        private final long[] values = new long[KEYS];
        private final AtomicIntegerArray inside = new AtomicIntegerArray(KEYS);
        private final AtomicInteger violations = new AtomicInteger();
        private final CountDownLatch met = new CountDownLatch(2);
        private final AtomicInteger states = new AtomicInteger();

        @Override
        public byte[] execute(long position, long orderedTimeMillis, Request request) {
            ByteBuffer body = ByteBuffer.wrap(request.body());
            int key = body.getInt();
            int summand = body.getInt();
            int turns = body.getInt();
            if (inside.incrementAndGet(key) != 1) {
                violations.incrementAndGet();
            }
            values[key] = 31 * values[key] + summand;
            if (turns == MEET) {
                met.countDown();
                values[key] += meets() ? 1 : 2;
            }
            for (int turn = 0; turn < turns; turn++) {
                Thread.onSpinWait();
            }
            byte[] reply = bytes(values[key]);
            inside.decrementAndGet(key);
            return reply;
        }

        private boolean meets() {
            try {
                return met.await(20, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }

        @Override
        public Set<Object> keys(Request request) {
            return Set.of(ByteBuffer.wrap(request.body()).getInt());
        }

        @Override
        public Optional<byte[]> takeState() {
            states.incrementAndGet();
            for (int key = 0; key < KEYS; key++) {
                if (inside.get(key) != 0) {
                    violations.incrementAndGet();
                }
            }
            ByteBuffer state = ByteBuffer.allocate(KEYS * Long.BYTES);
            for (long value : values) {
                state.putLong(value);
            }
            return Optional.of(state.array());
        }

        @Override
        public void restoreState(byte[] state) {
            ByteBuffer from = ByteBuffer.wrap(state);
            for (int key = 0; key < KEYS; key++) {
                values[key] = from.getLong();
            }
        }
    }

    private void startThree() throws Exception {
        System.setProperty(LOG_BYTES, "30000");
        List<CompletableFuture<ReplicatedService>> opening = new ArrayList<>();
        for (Member member : members) {
            servants.add(new Counters());
            Counters servant = servants.get(opening.size());
            opening.add(CompletableFuture.supplyAsync(() -> open(member, servant)));
        }
        for (CompletableFuture<ReplicatedService> each : opening) {
            replicas.add(each.get(30, TimeUnit.SECONDS));
        }
        await().atMost(BOUND).until(() -> replicas.stream()
                .allMatch(replica -> replica.status().orderedTimeMillis() > 0));
    }

    private ReplicaSettings settings(Member member, int executors) {
        return ReplicaSettings.builder("parallel", member.id(), members)
                .log(ReplicaSettings.Log.FILE)
                .data(folder)
                .executors(executors)
                .history(Optional.of(folder.resolve("history-" + member.id())))
                .build();
    }

    private ReplicatedService open(Member member, ServantPort servant) {
        return new ReplicationProvider().open(settings(member, 4), servant, ended::add);
    }

    @AfterEach
    void close() {
        System.clearProperty(LOG_BYTES);
        replicas.forEach(ReplicatedService::close);
        assertEquals(List.of(), ended);
    }

    @Test
    void operationsOnDifferentKeysOverlapAtEachMember() throws Exception {
        startThree();
        CompletableFuture<Answer> first = new CompletableFuture<>();
        CompletableFuture<Answer> second = new CompletableFuture<>();
        // In one entry: a mark or a snapshot between the two would wait for the first one.
        replicas.get(0)
                .submitAll(List.of(
                        new ReplicatedService.Arrival(
                                request(0, new ClientId(1, 1), 1, 3, 7, MEET),
                                FinishedNumbers.NONE,
                                Principal.UNKNOWN,
                                first::complete),
                        new ReplicatedService.Arrival(
                                request(0, new ClientId(1, 2), 1, 4, 7, MEET),
                                FinishedNumbers.NONE,
                                Principal.UNKNOWN,
                                second::complete)));
        assertArrayEquals(bytes(8), first.get(30, TimeUnit.SECONDS).reply());
        assertArrayEquals(bytes(8), second.get(30, TimeUnit.SECONDS).reply());
        awaitEqual();
        servants.forEach(servant -> {
            assertEquals(8, servant.values[3]);
            assertEquals(8, servant.values[4]);
        });
    }

    @Test
    void membersAgreeAfterThousandsOfCallsWithSnapshotsBetweenAndAReplay() throws Exception {
        startThree();
        runClients(1);
        awaitEqual();
        for (Counters servant : servants) {
            assertEquals(
                    0, servant.violations.get(), "operations of one key at the same time, or a state with one running");
            assertTrue(servant.states.get() > 0, "a snapshot was taken");
            assertArrayEquals(servants.get(0).values, servant.values);
        }
        await().atMost(BOUND).until(() -> Files.exists(snapshot(members.get(2))));

        replicas.get(2).close();
        runClients(CALLS + 1L);
        servants.set(2, new Counters());
        replicas.set(2, open(members.get(2), servants.get(2)));
        awaitEqual();
        assertArrayEquals(servants.get(0).values, servants.get(2).values);
        assertEquals(history("a"), history("b"));
    }

    /** Ids with their positions, in the order of the file. */
    private List<String> history(String member) throws Exception {
        return Files.readAllLines(folder.resolve("history-" + member)).stream()
                .filter(line -> line.contains("\"exec\""))
                .map(line -> line.replaceAll("\"replica\":\"[abc]\",|,\"t\":\\d+", ""))
                .toList();
    }

    private void runClients(long firstNumber) throws Exception {
        List<CompletableFuture<Void>> clients = new ArrayList<>();
        for (int client = 0; client < CLIENTS; client++) {
            Random random = new Random(client + firstNumber);
            ClientId id = new ClientId(2, client);
            int replica = client % 2;
            CompletableFuture<Void> ended = new CompletableFuture<>();
            clients.add(ended);
            Thread thread = new Thread(() -> {
                try {
                    for (long number = firstNumber; number < firstNumber + CALLS; number++) {
                        Request request = request(
                                replica,
                                id,
                                number,
                                random.nextInt(KEYS),
                                random.nextInt(1_000_000),
                                random.nextInt(8));
                        // Without a leader, for example, it is refused.
                        while (submit(replica, request).kind() != Answer.Kind.REPLY) {
                            Thread.onSpinWait();
                        }
                    }
                    ended.complete(null);
                } catch (Exception | AssertionError e) {
                    ended.completeExceptionally(e);
                }
            });
            thread.start();
        }
        for (CompletableFuture<Void> each : clients) {
            each.get(120, TimeUnit.SECONDS);
        }
    }

    private void awaitEqual() {
        await().atMost(BOUND).until(() -> {
            List<ReplicaStatus> all =
                    replicas.stream().map(ReplicatedService::status).toList();
            boolean settled = all.stream()
                    .allMatch(status -> status.executedPosition() == all.get(0).executedPosition()
                            && status.executedPosition() == status.position());
            if (settled) {
                assertEquals(
                        1, all.stream().map(ReplicaStatus::digest).distinct().count(), all::toString);
            }
            return settled;
        });
    }

    private Path snapshot(Member member) {
        return folder.resolve("parallel")
                .resolve(member.id())
                .resolve(member.id() + ".log")
                .resolve("snapshot.amo");
    }

    private Answer submit(int replica, Request request) throws Exception {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        replicas.get(replica).submit(request, FinishedNumbers.of(request.id().number() - 1), answer::complete);
        return answer.get(40, TimeUnit.SECONDS);
    }

    private Request request(int replica, ClientId client, long number, int key, int summand, int turns) {
        ReplicaStatus status = replicas.get(replica).status();
        long timestamp = Math.max(status.upperMillis() + 1, status.orderedTimeMillis());
        byte[] body = ByteBuffer.allocate(3 * Integer.BYTES)
                .putInt(key)
                .putInt(summand)
                .putInt(turns)
                .array();
        return new Request(RequestId.own(client, number), timestamp, timestamp + 60_000, number, false, body);
    }

    @Test
    void servantWithTimersIsRefused() {
        ServantPort timers = new ServantPort() {
            @Override
            public byte[] execute(long position, long orderedTimeMillis, Request request) {
                return new byte[0];
            }

            @Override
            public boolean hasTimers() {
                return true;
            }
        };
        OrderedLogException refusal;
        try (InMemoryLogs logs = new InMemoryLogs()) {
            refusal = assertThrows(
                    OrderedLogException.class,
                    () -> ReplicationProvider.open(settings(members.get(0), 2), timers, logs.member("a"), ended::add));
        }
        assertEquals(OrderedLogException.Fault.USER, refusal.fault());
        assertTrue(refusal.getMessage().contains("--execute parallel")
                && refusal.getMessage().endsWith("remove one of the two"));
    }

    private static byte[] bytes(long value) {
        return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
    }
}
