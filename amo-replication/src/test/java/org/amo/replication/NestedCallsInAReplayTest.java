package org.amo.replication;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.amo.base.ClientId;
import org.amo.base.DaemonThreads;
import org.amo.base.NestedCall;
import org.amo.core.replica.Execution;
import org.amo.core.replica.Place;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Deliveries that wait for room go on while an operation waits for a result behind them, and only then. */
@Timeout(60)
class NestedCallsInAReplayTest {
    private static final Duration BOUND = Duration.ofSeconds(20);
    private static final int CALLS = 20;

    /** Whether the deliveries have gone on, when an operation has made its call. */
    private static boolean goOn(Backlog full, OrderedNestedCalls nested, long position, AtomicReference<Thread> waiting)
            throws InterruptedException {
        Thread delivering = DaemonThreads.start("amo-test-deliver", () -> {
            try {
                full.awaitRoom();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        await().atMost(BOUND).until(() -> delivering.getState() == Thread.State.WAITING);
        waiting.set(delivering);
        RequestId id = RequestId.own(new ClientId(1, 2), position);
        nested.begins(new Execution(position, 0, 1, new Request(id, 1, 2, 3, false, new byte[0])), full);
        assertTrue(nested.call(new Unsent()).isPresent());
        nested.ended();
        boolean went = !delivering.isAlive();
        full.close();
        delivering.join();
        return went;
    }

    private static OrderedNestedCalls calls(ExecutionGate gate, BiConsumer<Place, Integer> onCall) {
        ReplicaSettings settings = ReplicaSettings.builder("group", "a", FreePorts.members(1))
                .data(Path.of("unused"))
                .build();
        OrderedNestedCalls.Core core = new OrderedNestedCalls.Core() {
            @Override
            public void called(Place place, int number, long deadlineMillis) {
                onCall.accept(place, number);
            }

            @Override
            public void identified(Place place, int number, Optional<byte[]> identity) {}

            @Override
            public void sent(Place place, int number, Optional<byte[]> result) {}
        };
        return new OrderedNestedCalls(settings, gate, core, error -> {});
    }

    private static Backlog full() {
        Backlog full = new Backlog(1, Long.MAX_VALUE);
        full.add(1, 0);
        return full;
    }

    /** A replay must not pile up a whole log in memory. */
    @Test
    void aResultAtHandOpensNoRoom() throws InterruptedException {
        AtomicReference<Thread> waiting = new AtomicReference<>(Thread.currentThread());
        AtomicReference<Optional<OrderedNestedCalls>> made = new AtomicReference<>(Optional.empty());
        try (ExecutionGate gate = ExecutionGate.open(Optional.empty(), true);
                OrderedNestedCalls nested = calls(gate, (place, number) -> {
                    // Long enough for a thread that may go on.
                    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(5);
                    while (waiting.get().isAlive() && System.nanoTime() < end) {
                        Thread.onSpinWait();
                    }
                    made.get().orElseThrow().result(place, number, Optional.of(new byte[1]));
                })) {
            made.set(Optional.of(nested));
            int went = 0;
            for (int i = 1; i <= CALLS; i++) {
                went += goOn(full(), nested, i, waiting) ? 1 : 0;
            }
            // The machine may have stood still once.
            assertTrue(went < CALLS / 2, "deliveries that did not wait for room: " + went);
        }
    }

    @Test
    void aResultBehindThemLetsThemGoOn() throws InterruptedException {
        AtomicReference<Thread> waiting = new AtomicReference<>(Thread.currentThread());
        AtomicReference<Optional<OrderedNestedCalls>> made = new AtomicReference<>(Optional.empty());
        try (ExecutionGate gate = ExecutionGate.open(Optional.empty(), true);
                OrderedNestedCalls nested = calls(gate, (place, number) -> {
                    await().atMost(BOUND).until(() -> !waiting.get().isAlive());
                    made.get().orElseThrow().result(place, number, Optional.of(new byte[1]));
                })) {
            made.set(Optional.of(nested));
            assertTrue(goOn(full(), nested, 1, waiting));
        }
        assertFalse(waiting.get().isAlive());
    }

    /** It does so at every member, and none of them ends. */
    @Test
    void anOperationThatHasInterruptedItselfGetsItsResult() throws InterruptedException {
        AtomicReference<Optional<OrderedNestedCalls>> made = new AtomicReference<>(Optional.empty());
        AtomicReference<Thread> waiting = new AtomicReference<>(Thread.currentThread());
        try (ExecutionGate gate = ExecutionGate.open(Optional.empty(), true);
                OrderedNestedCalls nested = calls(gate, (place, number) -> {
                    await().atMost(BOUND).until(() -> EnumSet.of(Thread.State.TIMED_WAITING, Thread.State.WAITING)
                            .contains(waiting.get().getState()));
                    made.get().orElseThrow().result(place, number, Optional.of(new byte[1]));
                })) {
            made.set(Optional.of(nested));
            RequestId id = RequestId.own(new ClientId(1, 2), 1);
            nested.begins(
                    new Execution(1, 0, 1, new Request(id, 1, 2, 3, false, new byte[0])),
                    new Backlog(1, Long.MAX_VALUE));
            Thread.currentThread().interrupt();
            assertTrue(nested.call(new Unsent()).isPresent());
            assertTrue(Thread.interrupted(), "the operation goes on as it was");
            assertFalse(nested.isAborted());
        }
    }

    private static final class Unsent implements NestedCall {
        @Override
        public String target() {
            return "back";
        }

        @Override
        public Optional<byte[]> identity() {
            return Optional.empty();
        }

        @Override
        public Optional<byte[]> send(Optional<byte[]> identity, long deadlineMillis) {
            return Optional.empty();
        }

        @Override
        public void finished() {}
    }
}
