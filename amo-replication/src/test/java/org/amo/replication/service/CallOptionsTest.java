package org.amo.replication.service;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.amo.base.ClientId;
import org.amo.base.DaemonThreads;
import org.amo.base.observe.Readiness;
import org.amo.core.client.Attempt;
import org.amo.core.request.Answer;
import org.amo.core.request.Refusal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client's options, room and readiness. The test is its members. */
@Timeout(60)
final class CallOptionsTest {
    private static final byte[] REQUEST = {1};

    private final ScheduledExecutorService owner =
            Executors.newSingleThreadScheduledExecutor(DaemonThreads.factory("amo-test-client"));
    private final LinksInHand links = new LinksInHand(owner);

    /** Room for two calls; a deadline of 30 s. */
    private final AmoClient client = AmoClient.builder("g")
            .insecure()
            .maxCalls(2)
            .deadline(Duration.ofSeconds(30))
            .build(new ClientId(0, 0), List.of("a", "b"), owner, links, () -> {});

    @AfterEach
    void end() {
        owner.shutdownNow();
    }

    private void connected(int member) {
        await().until(() -> links.connecting.contains(member));
        links.connecting.remove(member);
        links.tell(events -> {
            events.onConnected(member, Answer.NO_BOUND);
            events.onBatchEnd();
        });
    }

    private void reply() {
        await().until(() -> !links.sent.isEmpty());
        links.answer(0, Answer.reply(Payloads.reply(REQUEST), 1, 0));
    }

    /** Of the attempt that leaves next, which is answered. */
    private long deadlineMillis() {
        await().until(() -> !links.sent.isEmpty());
        Attempt attempt = links.sent.element();
        reply();
        return attempt.deadlineMillis() - attempt.timestampMillis();
    }

    interface Work {
        void run();

        @Oneway
        void runLater();
    }

    interface WorkLater {
        CompletionStage<Void> run();
    }

    private void leavesWith(long millis, Runnable call) {
        CompletableFuture<Void> made = CompletableFuture.runAsync(call, task -> DaemonThreads.start("amo-test", task));
        long deadline = deadlineMillis();
        assertTrue(deadline > millis / 2 && deadline <= millis, deadline + " ms in the place of " + millis);
        made.exceptionally(why -> null).join();
    }

    @Test
    void everyWayToCallHasTheDeadlineOfItsOptions() {
        AmoCalls hasty = client.with(CallOptions.deadline(Duration.ofSeconds(9)));
        CompletableFuture<byte[]> first = client.callAsync(REQUEST).toCompletableFuture();
        connected(0);
        assertTrue(deadlineMillis() > 15_000, "that of the client");
        first.join();
        leavesWith(9_000, () -> hasty.call(REQUEST));
        leavesWith(9_000, () -> hasty.callAsync(REQUEST).toCompletableFuture().join());
        leavesWith(9_000, () -> hasty.oneway(REQUEST));
        leavesWith(9_000, () -> hasty.proxy(Work.class).run());
        leavesWith(9_000, () -> hasty.proxy(Work.class).runLater());
        leavesWith(
                9_000,
                () -> hasty.proxy(WorkLater.class).run().toCompletableFuture().join());
        // The group of this client finds no read indexes, so reads are ordered.
        leavesWith(9_000, () -> hasty.query(REQUEST));
        leavesWith(9_000, () -> hasty.queryAsync(REQUEST).toCompletableFuture().join());
        leavesWith(30_000, () -> client.with(CallOptions.defaults()).call(REQUEST));
        assertEquals("Work by " + client, hasty.proxy(Work.class).toString());
    }

    @Test
    void optionsHaveBounds() {
        for (Duration wrong : List.of(
                Duration.ZERO, Duration.ofNanos(999_999), Duration.ofMinutes(10).plusNanos(1))) {
            assertThrows(IllegalArgumentException.class, () -> CallOptions.deadline(wrong));
            assertThrows(IllegalArgumentException.class, () -> CallOptions.stale(wrong));
        }
        CallOptions both = CallOptions.stale(Duration.ofMillis(1)).within(Duration.ofMinutes(10));
        assertEquals(
                new CallOptions(
                        Optional.of(Duration.ofMinutes(10)), Optional.of(Duration.ofMillis(1)), Map.of(), false),
                both);
        assertTrue(both.readingOwnCalls()
                .metadata("a", "b")
                .within(Duration.ofSeconds(1))
                .afterOwnCalls());
    }

    private static void assertOverloaded(CompletionStage<byte[]> call) {
        CompletionException why = assertThrows(
                CompletionException.class, () -> call.toCompletableFuture().join());
        assertEquals(
                Optional.of(Refusal.OVERLOADED),
                assertInstanceOf(AmoNotExecutedException.class, why.getCause()).reason());
    }

    @Test
    void aStageTellsWhenAnAsynchronousCallHasRoom() throws Exception {
        assertTrue(client.whenRoom(1).toCompletableFuture().isDone());
        CompletableFuture<byte[]> first = client.callAsync(REQUEST).toCompletableFuture();
        CompletableFuture<byte[]> second = client.callAsync(REQUEST).toCompletableFuture();
        assertOverloaded(client.callAsync(REQUEST));
        CompletableFuture<byte[]> third = client.whenRoom(1)
                .thenCompose(unused -> client.callAsync(REQUEST))
                .toCompletableFuture();
        CompletableFuture<byte[]> fourth = client.whenRoom(1)
                .thenCompose(unused -> client.callAsync(REQUEST))
                .toCompletableFuture();
        CompletableFuture<Void> fifth = client.whenRoom(1).toCompletableFuture();
        connected(0);
        reply();
        first.get(20, TimeUnit.SECONDS);
        // The room of the first call is the third's now, so that the fourth still waits.
        await().until(() -> links.sent.size() == 2);
        assertFalse(fourth.isDone());
        reply();
        second.get(20, TimeUnit.SECONDS);
        await().until(() -> links.sent.size() == 2);
        assertFalse(fifth.isDone());
        reply();
        reply();
        third.get(20, TimeUnit.SECONDS);
        fourth.get(20, TimeUnit.SECONDS);
        fifth.get(20, TimeUnit.SECONDS);
    }

    @Test
    void aRequestThatIsLargerThanTheRoomWaitsForAllOfIt() throws Exception {
        CompletableFuture<byte[]> first = client.callAsync(REQUEST).toCompletableFuture();
        CompletableFuture<Void> large = client.whenRoom(65 << 20).toCompletableFuture();
        assertFalse(large.isDone());
        connected(0);
        reply();
        first.get(20, TimeUnit.SECONDS);
        large.get(20, TimeUnit.SECONDS);
    }

    @Test
    void whenTheClientIsClosedNoStageWaitsForRoom() throws Exception {
        CompletableFuture<byte[]> first = client.callAsync(REQUEST).toCompletableFuture();
        CompletableFuture<byte[]> second = client.callAsync(REQUEST).toCompletableFuture();
        List<CompletableFuture<Void>> waiting = List.of(
                client.whenRoom(1).toCompletableFuture(),
                client.whenRoom(1).toCompletableFuture(),
                client.whenRoom(64 << 20).toCompletableFuture());
        client.close();
        for (CompletableFuture<Void> each : waiting) {
            each.get(20, TimeUnit.SECONDS);
        }
        // In the client's executor.
        for (CompletableFuture<byte[]> each : List.of(first, second)) {
            assertThrows(ExecutionException.class, () -> each.get(20, TimeUnit.SECONDS));
        }
        assertTrue(client.whenRoom(1).toCompletableFuture().isDone());
    }

    @Test
    void aClientIsReadyWhileItsMemberKnowsALeader() throws Exception {
        assertFalse(client.health().isReady());
        assertFalse(client.awaitReady(Duration.ofMillis(1)).isReady());
        CompletableFuture<Readiness> waits = CompletableFuture.supplyAsync(
                () -> client.awaitReady(Duration.ofSeconds(30)), task -> DaemonThreads.start("amo-test", task));
        connected(0);
        await().until(() -> obstacle().equals("the group has no leader"));
        assertFalse(waits.isDone());
        links.tell(events -> {
            events.onLeader("a");
            events.onBatchEnd();
        });
        assertTrue(waits.get(20, TimeUnit.SECONDS).isReady());
        links.tell(events -> {
            events.onLeader("");
            events.onBatchEnd();
        });
        await().until(() -> obstacle().equals("the group has no leader"));
        links.tell(events -> events.onDisconnected(0, false, "member a is down"));
        await().until(() -> obstacle().contains("no connection"));
        client.close();
        assertEquals("this client is closed", obstacle());
        assertFalse(client.awaitReady(Duration.ofSeconds(30)).isReady(), "at once");
    }

    private String obstacle() {
        return client.health().obstacle().orElse("");
    }
}
