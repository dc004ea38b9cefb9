package org.amo.replication;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.amo.base.ClientId;
import org.amo.core.replica.Execution;
import org.amo.core.replica.Place;
import org.amo.core.replica.ServantPort;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The queue between deliveries and the servant. */
@Timeout(60)
class ExecutionThreadTest {
    private static final byte[] REPLY = {1};

    @Test
    void whatRunsBetweenSeesAllBeforeItHandedBackAndNothingBehind() {
        List<String> order = Collections.synchronizedList(new ArrayList<>());
        ExecutionThread execution = thread(
                (position, time, request) -> {
                    order.add("run " + position);
                    return REPLY;
                },
                gate(),
                (done, replies) -> done.forEach(one -> order.add("back " + one.position())),
                due -> {},
                thrown -> order.add("failed " + thrown));
        List<String> expected = new ArrayList<>();
        for (long position = 1; position <= 300; position++) {
            execution.execute(List.of(execution(position)));
            expected.add("run " + position);
            expected.add("back " + position);
            if (position % 3 == 0) {
                long between = position;
                execution.runBetween(() -> order.add("between " + between));
                expected.add("between " + position);
            }
        }
        await().atMost(Duration.ofSeconds(20)).until(() -> order.size() == expected.size());
        assertEquals(expected, order);
        execution.stop();
    }

    /** A replay must not pile up a log in memory, nor stand still for ever. */
    @Test
    void whoDeliversWaitsForRoomAndIsWoken() throws InterruptedException {
        AtomicLong handed = new AtomicLong();
        AtomicLong most = new AtomicLong();
        AtomicLong done = new AtomicLong();
        CountDownLatch go = new CountDownLatch(1);
        ExecutionThread execution = thread(
                (position, time, request) -> {
                    awaitQuietly(go);
                    return REPLY;
                },
                gate(),
                (executions, replies) -> done.addAndGet(executions.size()),
                due -> {},
                thrown -> done.set(-1));
        Thread delivering = new Thread(() -> {
            for (long position = 1; position <= 50_000; position++) {
                execution.awaitRoom();
                execution.execute(List.of(execution(position)));
                most.accumulateAndGet(handed.incrementAndGet() - done.get(), Math::max);
            }
        });
        delivering.start();
        await().atMost(Duration.ofSeconds(20)).until(() -> delivering.getState() == Thread.State.WAITING);
        assertEquals(20_000, handed.get());
        go.countDown();
        delivering.join(30_000);
        await().atMost(Duration.ofSeconds(20)).until(() -> done.get() == 50_000);
        assertTrue(most.get() <= 20_000, "waiting at once: " + most);
        execution.stop();
    }

    /** Long requests fill the memory long before their count does. */
    @Test
    void whoDeliversWaitsForRoomForTheBodies() throws InterruptedException {
        AtomicLong handed = new AtomicLong();
        CountDownLatch go = new CountDownLatch(1);
        ExecutionThread execution = thread(
                (position, time, request) -> {
                    awaitQuietly(go);
                    return REPLY;
                },
                gate(),
                (executions, replies) -> {},
                due -> {},
                thrown -> {});
        // The executions share one array, so that the test needs little memory.
        int length = (int) Math.min(1 << 20, Runtime.getRuntime().maxMemory() / 64);
        long fit = (Runtime.getRuntime().maxMemory() / 16 + length - 1) / length;
        Request request = new Request(RequestId.own(new ClientId(1, 2), 1), 1, 2, 3, false, new byte[length]);
        Thread delivering = new Thread(() -> {
            for (long position = 1; position <= fit + 2; position++) {
                execution.awaitRoom();
                execution.execute(List.of(new Execution(position, 0, 1, request)));
                handed.incrementAndGet();
            }
        });
        delivering.start();
        await().atMost(Duration.ofSeconds(20))
                .until(() -> handed.get() == fit && delivering.getState() == Thread.State.WAITING);
        go.countDown();
        delivering.join(30_000);
        assertEquals(fit + 2, handed.get());
        execution.stop();
    }

    @Test
    void itEndsWhenItIsStoppedOrItsServantBreaksARule() {
        ExecutionThread stopped = thread(
                (position, time, request) -> REPLY, gate(), (executions, replies) -> {}, due -> {}, thrown -> {});
        assertTrue(!stopped.hasEnded());
        stopped.stop();
        await().atMost(Duration.ofSeconds(20)).until(stopped::hasEnded);
        AtomicReference<Throwable> told = new AtomicReference<>();
        ExecutionThread broken = thread(
                (position, time, request) -> {
                    throw new IllegalStateException("planted");
                },
                gate(),
                (executions, replies) -> {},
                due -> {},
                told::set);
        broken.execute(List.of(execution(1)));
        await().atMost(Duration.ofSeconds(20)).until(broken::hasEnded);
        assertEquals("planted", told.get().getMessage());
    }

    @Test
    void eachTimerHasAPlaceOfItsOwnAndOneThatTheGroupSkipsIsDropped() {
        List<String> order = Collections.synchronizedList(new ArrayList<>());
        ExecutionGate gate = gate();
        Place held = Place.ofTimer(5, 1);
        assertTrue(gate.hold(held));
        ExecutionThread execution = execution(new TimedServant(order, 10, 20, 30, 40), gate, order);
        execution.reached(5, 30);
        execution.execute(List.of(execution(5)));
        await().atMost(Duration.ofSeconds(20)).until(gate::isHolding);
        assertEquals(List.of("fire 5/t0@30", "ran 5/t0"), List.copyOf(order));
        assertFalse(gate.skip(held), "it has not begun");
        await().atMost(Duration.ofSeconds(20)).until(() -> order.contains("back 5"));
        assertEquals(
                List.of(
                        "fire 5/t0@30",
                        "ran 5/t0",
                        "drop",
                        "ran 5/t1",
                        "fire 5/t2@30",
                        "ran 5/t2",
                        "next 40",
                        "run 5",
                        "back 5"),
                List.copyOf(order));
        execution.stop();
    }

    /** A verdict comes with the deliveries; a state and a member's own rule do not. */
    @Test
    void behindAHeldTimerTheQueueIsWithoutLimitUntilTheGroupDoesNotSkipIt() {
        List<String> order = Collections.synchronizedList(new ArrayList<>());
        ExecutionGate gate = gate();
        Place held = Place.ofTimer(5, 0);
        assertTrue(gate.hold(held));
        ExecutionThread execution = execution(new TimedServant(order, 10), gate, order);
        CountDownLatch room = new CountDownLatch(1);
        execution.onRoom(room::countDown);
        execution.bound();
        execution.reached(5, 30);
        await().atMost(Duration.ofSeconds(20)).until(gate::isHolding);
        for (long position = 5; position < 30_000; position++) {
            execution.execute(List.of(execution(position)));
        }
        assertTrue(execution.hasRoom(), "the verdict may come");
        execution.bound();
        assertFalse(execution.hasRoom());
        gate.letGo(held);
        awaitQuietly(room);
        assertTrue(execution.hasRoom());
        execution.stop();
    }

    @Test
    void aTimerThatOverflowsTheStackHasEndedTheMember(@TempDir Path folder) throws IOException {
        List<String> order = Collections.synchronizedList(new ArrayList<>());
        try (ExecutionGate gate = ExecutionGate.open(Optional.of(folder), true)) {
            // As the log does when it begins.
            Files.write(folder.resolve("members"), new byte[1]);
            ExecutionThread execution = execution(new TimedServant(order, 10, TimedServant.OVERFLOW), gate, order);
            execution.reached(5, TimedServant.OVERFLOW);
            await().atMost(Duration.ofSeconds(20)).until(execution::hasEnded);
        }
        assertEquals("failed " + StackOverflowError.class.getName(), order.get(order.size() - 1));
        try (ExecutionGate next = ExecutionGate.open(Optional.of(folder), true)) {
            assertEquals(List.of(Place.ofTimer(5, 1)), next.died());
        }
    }

    @Test
    void aRequestThatFindsNoMemoryHasEndedTheMember(@TempDir Path folder) throws IOException {
        assertEquals(List.of(new Place(7, 0)), deathsAfter("Java heap space", folder, true));
    }

    /** The processes of a machine share its threads. In style passive one member that died is enough for a verdict. */
    @Test
    void theFirstEndForWantOfThreadsOrInStylePassiveIsNoProof(@TempDir Path threads, @TempDir Path passive)
            throws IOException {
        assertEquals(List.of(), deathsAfter("unable to create native thread", threads, true));
        assertEquals(List.of(), deathsAfter("Java heap space", passive, false));
    }

    private static List<Place> deathsAfter(String error, Path folder, boolean memoryIsProof) throws IOException {
        List<String> order = Collections.synchronizedList(new ArrayList<>());
        try (ExecutionGate gate = ExecutionGate.open(Optional.of(folder), memoryIsProof)) {
            Files.write(folder.resolve("members"), new byte[1]);
            ServantPort greedy = (position, orderedTimeMillis, request) -> {
                throw new OutOfMemoryError(error);
            };
            ExecutionThread execution = execution(greedy, gate, order);
            execution.execute(List.of(execution(7)));
            await().atMost(Duration.ofSeconds(20)).until(execution::hasEnded);
        }
        try (ExecutionGate next = ExecutionGate.open(Optional.of(folder), memoryIsProof)) {
            return next.died();
        }
    }

    /** Without nested calls, one execution after another. */
    static ExecutionThread thread(
            ServantPort servant,
            ExecutionGate gate,
            BiConsumer<List<Execution>, List<byte[]>> executed,
            ExecutionThread.TimerEvents timers,
            Consumer<Throwable> onFailure) {
        return new ExecutionThread(
                "a",
                1,
                servant,
                gate,
                Optional.empty(),
                Optional.empty(),
                (one, reply) -> {},
                executed,
                timers,
                onFailure);
    }

    private static ExecutionThread execution(ServantPort servant, ExecutionGate gate, List<String> order) {
        return thread(
                servant,
                gate,
                (done, replies) -> done.forEach(one -> order.add("back " + one.position())),
                new ExecutionThread.TimerEvents() {
                    @Override
                    public void next(OptionalLong dueMillis) {
                        order.add("next " + dueMillis.orElse(-1));
                    }

                    @Override
                    public void ran(Place place) {
                        order.add("ran " + place);
                    }
                },
                thrown -> order.add("failed " + thrown));
    }

    /** Has a timer for each of these times, which rise. */
    private static final class TimedServant implements ServantPort {
        static final long OVERFLOW = 13;

        private final List<String> order;
        private final ArrayDeque<Long> timers = new ArrayDeque<>();

        TimedServant(List<String> order, long... timers) {
            this.order = order;
            for (long each : timers) {
                this.timers.add(each);
            }
        }

        @Override
        public byte[] execute(long position, long orderedTimeMillis, Request request) {
            order.add("run " + position);
            return REPLY;
        }

        @Override
        public OptionalLong nextTimerMillis() {
            return timers.isEmpty() ? OptionalLong.empty() : OptionalLong.of(timers.getFirst());
        }

        @Override
        public void fireTimer(Place place, long orderedTimeMillis) {
            order.add("fire " + place + "@" + orderedTimeMillis);
            if (timers.removeFirst() == OVERFLOW) {
                throw new StackOverflowError();
            }
        }

        @Override
        public void dropTimer() {
            order.add("drop");
            timers.removeFirst();
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertTrue(latch.await(30, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static ExecutionGate gate() {
        return ExecutionGate.open(Optional.empty(), true);
    }

    private static Execution execution(long position) {
        return new Execution(
                position, 0, 1, new Request(RequestId.own(new ClientId(1, 2), position), 1, 2, 3, false, new byte[0]));
    }
}
