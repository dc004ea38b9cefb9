package org.amo.replication;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.amo.base.ClientId;
import org.amo.base.DaemonThreads;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.ExecutionNotes.Turn;
import org.amo.core.replica.Place;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicaStatus;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.replica.ServantPort;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.amo.replication.order.InMemoryLogs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A request that runs while the member ends is noted as the cause only if it may be. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class InnocentRequestTest {
    private static final Duration BOUND = Duration.ofSeconds(60);

    @TempDir
    Path folder = Path.of("unset");

    @Test
    void aDiskThatFailsIsNoDeathInTheRunningRequest() throws Exception {
        assertIsInnocent(
                log -> {
                    throw new UncheckedIOException(new IOException("Input/output error"));
                },
                "its disk failed");
    }

    /** The core waits for a write, and the watch ends the member. */
    @Test
    void aDiskThatHangsIsNoDeathInTheRunningRequest() throws Exception {
        CountDownLatch hung = new CountDownLatch(1);
        try {
            assertIsInnocent(log -> awaitAlways(hung), "made no progress");
        } finally {
            hung.countDown();
        }
    }

    /** A failed write of the log. */
    @Test
    void anEndOfTheLogIsNoDeathInTheRunningRequest() throws Exception {
        OrderedLogException why =
                new OrderedLogException(OrderedLogException.Fault.ENVIRONMENT, "an entry could not be written");
        assertIsInnocent(log -> log.listener().onEnded(why), "could not be written");
    }

    /** Its service turns out to have no state when the request runs. */
    @Test
    void aServiceWithoutAStateIsNoDeathInTheRunningRequest() throws Exception {
        Deaths deaths = deathsOfTwoEnds(
                ReplicaSettings.Style.PASSIVE,
                log -> {},
                "cannot run in style passive: its service gives no state",
                member -> {});
        assertEquals(List.of(), deaths.all);
    }

    /** The application closes the member when it is told of the end. */
    @Test
    void aBrokenInvariantIsADeathInTheRunningRequest() throws Exception {
        Deaths deaths = deathsOfTwoEnds(
                ReplicaSettings.Style.ACTIVE,
                log -> {
                    throw new IllegalStateException("planted");
                },
                "an invariant was broken",
                ReplicatedService::close);
        assertEquals(List.of(deaths.running), deaths.all);
    }

    /** The request may have taken the memory. */
    @Test
    void anErrorOfTheVirtualMachineIsADeathInTheRunningRequest() throws Exception {
        OrderedLogException why = new OrderedLogException(
                OrderedLogException.Fault.ENVIRONMENT, "no memory is left", new OutOfMemoryError("planted"));
        Deaths deaths = deathsOfTwoEnds(
                ReplicaSettings.Style.ACTIVE,
                log -> log.listener().onEnded(why),
                "no memory is left",
                ReplicatedService::close);
        assertEquals(List.of(deaths.running), deaths.all);
    }

    private void assertIsInnocent(Consumer<LogOnDisk> disk, String line) throws Exception {
        Deaths deaths = deathsOfTwoEnds(ReplicaSettings.Style.ACTIVE, disk, line, member -> {});
        assertEquals(List.of(), deaths.all);
    }

    /**
     * The deaths that the member sees after this end, and one more by a kill while the same request runs.
     *
     * @param running the request
     */
    private record Deaths(List<Place> all, Place running) {}

    private Deaths deathsOfTwoEnds(
            ReplicaSettings.Style style, Consumer<LogOnDisk> disk, String line, Consumer<ReplicatedService> afterwards)
            throws Exception {
        Path first = Files.createDirectories(folder.resolve("first"));
        CompletableFuture<Place> running = new CompletableFuture<>();
        CountDownLatch released = new CountDownLatch(1);
        List<OrderedLogException> ended = new CopyOnWriteArrayList<>();
        Path second;
        try (InMemoryLogs logs = new InMemoryLogs();
                LogOnDisk log = new LogOnDisk(logs.member("a"), first);
                ReplicatedService member = ReplicationProvider.open(
                        settings(style),
                        new ServantPort() {
                            @Override
                            public byte[] execute(long position, long orderedTimeMillis, Request request) {
                                running.complete(new Place(position, 0));
                                awaitAlways(released);
                                return new byte[0];
                            }

                            @Override
                            public Optional<String> stateObstacle() {
                                // Only style passive asks.
                                return running.isDone() ? Optional.of("its service gives no state") : Optional.empty();
                            }
                        },
                        log,
                        ended::add,
                        (who, error) -> assertEquals("planted", error.getMessage()))) {
            try {
                await().atMost(BOUND).until(() -> member.status().orderedTimeMillis() > 0);
                ReplicaStatus status = member.status();
                submit(member, 1, status);
                await().atMost(BOUND).until(running::isDone);
                log.disk(disk);
                // Perhaps this thread would own the core, and hang.
                DaemonThreads.start("amo-test-submit", () -> submit(member, 2, status));
                await().atMost(BOUND).until(() -> !ended.isEmpty());
                afterwards.accept(member);
                second = killed(first, "second");
            } finally {
                released.countDown();
            }
        }
        assertTrue(
                ("" + ended.get(0).getMessage()).contains(line),
                "" + ended.get(0).getMessage());
        try (ExecutionGate next = ExecutionGate.open(Optional.of(second), true)) {
            assertEquals(Turn.RUN, next.ask(running.join()));
            try (ExecutionGate last = ExecutionGate.open(Optional.of(killed(second, "third")), true)) {
                return new Deaths(last.died(), running.join());
            }
        }
    }

    private static ReplicaSettings settings(ReplicaSettings.Style style) {
        return ReplicaSettings.builder("g", "a", List.of(new Member("a", "memory", 1, 1)))
                .log(ReplicaSettings.Log.MEMORY)
                .style(style)
                .build();
    }

    private static void submit(ReplicatedService member, long number, ReplicaStatus status) {
        long timestamp = Math.max(status.upperMillis() + 1, status.orderedTimeMillis());
        RequestId id = RequestId.own(new ClientId(1, 2), number);
        member.submit(
                new Request(id, timestamp, timestamp + 10_000, 1, false, new byte[0]),
                FinishedNumbers.NONE,
                answer -> {});
    }

    /** The notes as they are when their process is killed now. */
    private Path killed(Path of, String name) throws IOException {
        Path copy = Files.createDirectories(folder.resolve(name));
        Files.copy(of.resolve("executions"), copy.resolve("executions"));
        // As the log does when it begins.
        Files.write(copy.resolve("members"), new byte[1]);
        return copy;
    }

    /** A servant or a disk that hangs does not care for interrupts. */
    private static void awaitAlways(CountDownLatch latch) {
        boolean interrupted = false;
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
