package org.amo.replication;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.amo.base.ClientId;
import org.amo.core.replica.Execution;
import org.amo.core.replica.ExecutionNotes;
import org.amo.core.replica.Place;
import org.amo.core.replica.ServantPort;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The threads between deliveries and a servant whose operations have keys. */
@Timeout(60)
class ParallelExecutionsTest {
    private static final Duration BOUND = Duration.ofSeconds(20);
    private static final byte[] REPLY = {1};
    private static final byte[] NOT_RUN = {2};

    private final ExecutionGate gate = ExecutionGate.open(Optional.empty(), true);
    private final List<String> order = Collections.synchronizedList(new ArrayList<>());
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private Optional<ExecutionThread> opened = Optional.empty();

    @AfterEach
    void stop() {
        opened.ifPresent(ExecutionThread::stop);
        gate.close();
    }

    /** @param keys of a position */
    private ExecutionThread open(Function<Long, Set<Object>> keys, Function<Long, byte[]> operation) {
        return open(keys, operation, gate, done -> done.forEach(one -> order.add("back " + one.position())));
    }

    private ExecutionThread open(
            Function<Long, Set<Object>> keys,
            Function<Long, byte[]> operation,
            ExecutionGate guard,
            Consumer<List<Execution>> handedBack) {
        ServantPort servant = new ServantPort() {
            @Override
            public byte[] execute(long position, long orderedTimeMillis, Request request) {
                return operation.apply(position);
            }

            @Override
            public Set<Object> keys(Request request) {
                return keys.apply(request.id().number());
            }

            @Override
            public byte[] skipped(Request request) {
                return NOT_RUN;
            }
        };
        ExecutionThread execution = new ExecutionThread(
                "a",
                4,
                servant,
                guard,
                Optional.empty(),
                Optional.empty(),
                (one, reply) -> order.add("ran " + one.position()),
                (done, replies) -> handedBack.accept(done),
                due -> {},
                failure::set);
        opened = Optional.of(execution);
        return execution;
    }

    private static void execute(ExecutionThread execution, long first, long last) {
        execution.execute(LongStream.rangeClosed(first, last)
                .mapToObj(ParallelExecutionsTest::execution)
                .toList());
    }

    private void awaitOrder(String... expected) {
        await().atMost(BOUND).until(() -> order.size() >= expected.length);
        assertEquals(List.of(expected), List.copyOf(order));
    }

    /** All of the first positions have run, and have been handed back in the order of the log, in one turn or in several. */
    private void awaitHandedBack(int count) {
        await().atMost(BOUND).until(() -> order.size() == 2 * count);
        for (String word : List.of("ran ", "back ")) {
            assertEquals(
                    LongStream.rangeClosed(1, count)
                            .mapToObj(position -> word + position)
                            .toList(),
                    order.stream().filter(each -> each.startsWith(word)).toList());
        }
    }

    @Test
    void operationsOnDifferentKeysRunAtTheSameTime() {
        CountDownLatch met = new CountDownLatch(2);
        ExecutionThread execution = open(Set::of, position -> {
            met.countDown();
            return awaitQuietly(met);
        });
        execute(execution, 1, 2);
        awaitHandedBack(2);
    }

    /** Two keys take turns at random, and each one's operations run one by one in their order. */
    @Test
    void operationsOnOneKeyRunInTheOrderOfTheLog() {
        Map<Object, Long> latest = new ConcurrentHashMap<>();
        AtomicInteger[] inside = {new AtomicInteger(), new AtomicInteger()};
        AtomicInteger violations = new AtomicInteger();
        ExecutionThread execution = open(position -> Set.of(position * 7 % 5 % 2), position -> {
            int key = (int) (position * 7 % 5 % 2);
            if (inside[key].incrementAndGet() != 1 || latest.getOrDefault(key, 0L) > position) {
                violations.incrementAndGet();
            }
            latest.put(key, position);
            Thread.onSpinWait();
            inside[key].decrementAndGet();
            return REPLY;
        });
        execute(execution, 1, 3_000);
        awaitHandedBack(3_000);
        assertEquals(0, violations.get());
    }

    @Test
    void operationsWithoutKeysRunOneByOne() {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger violations = new AtomicInteger();
        ExecutionThread execution = open(position -> Set.of(), position -> {
            if (inside.incrementAndGet() != 1) {
                violations.incrementAndGet();
            }
            Thread.onSpinWait();
            inside.decrementAndGet();
            return REPLY;
        });
        execute(execution, 1, 500);
        await().atMost(BOUND).until(() -> order.size() == 1_000);
        assertEquals(0, violations.get());
    }

    @Test
    void taskBetweenSeesAllBeforeItHandedBackAndNothingBehind() {
        List<Long> begun = Collections.synchronizedList(new ArrayList<>());
        ExecutionThread execution = open(position -> Set.of(position % 5), position -> {
            begun.add(position);
            Thread.onSpinWait();
            return REPLY;
        });
        for (long position = 1; position <= 300; position += 10) {
            execute(execution, position, position + 9);
            long last = position + 9;
            execution.runBetween(() -> order.add(begun.size() == last ? "between " + last : "began early"));
        }
        List<String> expected = new ArrayList<>();
        for (long position = 1; position <= 300; position++) {
            expected.add("back " + position);
            if (position % 10 == 0) {
                expected.add("between " + position);
            }
        }
        await().atMost(BOUND).until(() -> order.size() == 630);
        assertEquals(
                expected, order.stream().filter(word -> !word.startsWith("ran")).toList());
    }

    /** A slow operation keeps replies behind it back, and no operation. */
    @Test
    void repliesLeaveInTheOrderOfTheLog() {
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch others = new CountDownLatch(2);
        ExecutionThread execution = open(Set::of, position -> {
            if (position == 1) {
                return awaitQuietly(go);
            }
            others.countDown();
            return REPLY;
        });
        execute(execution, 1, 3);
        awaitQuietly(others);
        assertEquals(List.of(), order);
        go.countDown();
        awaitHandedBack(3);
    }

    @Test
    void heldRequestStopsThoseBehindItAndNoneBeforeIt() {
        CountDownLatch go = new CountDownLatch(1);
        List<Long> begun = Collections.synchronizedList(new ArrayList<>());
        Place held = new Place(2, 0);
        assertTrue(gate.hold(held));
        ExecutionThread execution = open(Set::of, position -> {
            begun.add(position);
            return position == 1 ? awaitQuietly(go) : REPLY;
        });
        execute(execution, 1, 3);
        await().atMost(BOUND).until(gate::isHolding);
        go.countDown();
        awaitOrder("ran 1", "back 1");
        assertEquals(List.of(1L), begun);
        assertFalse(gate.skip(held));
        awaitOrder("ran 1", "back 1", "back 2", "ran 3", "back 3");
        assertEquals(List.of(1L, 3L), begun);
    }

    /** The next process must know that a client may have the reply. */
    @Test
    void noteOfAnExecutionIsWrittenBeforeItsReplyLeaves(@TempDir Path folder) {
        try (ExecutionGate kept = ExecutionGate.open(Optional.of(folder), true)) {
            kept.takesPart(0);
            List<Boolean> noted = Collections.synchronizedList(new ArrayList<>());
            ExecutionThread execution = open(
                    position -> Set.of(position % 5),
                    position -> REPLY,
                    kept,
                    done -> noted.add(isNoted(folder, done)));
            for (long position = 1; position <= 200; position++) {
                execute(execution, position, position);
            }
            await().atMost(BOUND).until(() -> order.size() == 200);
            execution.stop();
            assertFalse(noted.isEmpty() || noted.contains(false), noted::toString);
        }
    }

    private static boolean isNoted(Path folder, List<Execution> done) {
        try {
            ByteBuffer notes = ByteBuffer.wrap(Files.readAllBytes(folder.resolve("executions")));
            Place last = done.get(done.size() - 1).place();
            return new ExecutionNotes(notes, () -> {}, Boot.id()).ran().equals(Optional.of(last));
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void brokenRuleEndsAllThreadsAndNoReplyBehindItLeaves() {
        CountDownLatch go = new CountDownLatch(1);
        ExecutionThread execution = open(Set::of, position -> {
            awaitQuietly(go);
            if (position == 2) {
                throw new IllegalStateException("planted");
            }
            return REPLY;
        });
        execute(execution, 1, 1);
        execute(execution, 2, 3);
        go.countDown();
        await().atMost(BOUND).until(execution::hasEnded);
        assertEquals("planted", failure.get().getMessage());
        assertFalse(order.contains("back 2") || order.contains("back 3"), order::toString);
    }

    private static byte[] awaitQuietly(CountDownLatch latch) {
        try {
            assertTrue(latch.await(20, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return REPLY;
    }

    private static Execution execution(long position) {
        return new Execution(
                position, 0, 1, new Request(RequestId.own(new ClientId(1, 2), position), 1, 2, 3, false, new byte[0]));
    }
}
