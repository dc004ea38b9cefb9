package org.amo.replication.service;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.amo.base.ClientId;
import org.amo.base.DaemonThreads;
import org.amo.base.observe.Reading;
import org.amo.core.order.GroupMembers;
import org.amo.core.order.Member;
import org.amo.core.request.Answer;
import org.amo.core.request.Refusal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Errors in the one thread of a client, and refusals of single members. */
@Timeout(60)
class ClientLoopTest {
    private static final byte[] REQUEST = {1};
    private static final Duration SHORT = Duration.ofMillis(300);

    private final AtomicInteger threads = new AtomicInteger();
    private final AtomicInteger threadsMissing = new AtomicInteger();
    private final AtomicReference<Error> beforeSending = new AtomicReference<>();
    private final ScheduledExecutorService owner = Executors.newSingleThreadScheduledExecutor(task -> {
        threads.incrementAndGet();
        if (threadsMissing.getAndDecrement() > 0) {
            // JUnit ends at an OutOfMemoryError.
            throw new InternalError("unable to create native thread");
        }
        return DaemonThreads.unstarted("amo-test-client", task);
    });
    private final LinksInHand links = new LinksInHand(owner);

    @AfterEach
    void end() {
        owner.shutdownNow();
    }

    private static GroupMembers members(long version, String list) {
        return new GroupMembers(version, Member.parseList(list));
    }

    /** The application may reach a member by another address than the members do, so an id that it named keeps its own. */
    @Test
    void newMembersGetNumbersAndAnOlderListChangesNothing() throws Exception {
        AmoClient client = client("a", "b");
        CompletableFuture<byte[]> first = call(client);
        connected(0);
        links.tell(events -> {
            events.onMembers(members(2, "b=far:1/2,c=far:3/4,d=far:5/6"));
            events.onMembers(members(1, "a=far:7/8,e=far:9/10"));
            events.onMembers(members(2, "b=far:1/2,c=far:3/4,d=far:5/6"));
            events.onLeader("d");
        });
        connected(3);
        assertEquals(List.of("2 c", "3 d"), List.copyOf(links.placed));
        reply();
        assertArrayEquals(REQUEST, first.get(30, TimeUnit.SECONDS));
        await().until(() -> client.servedBy().equals("d"));

        // The number of one that has gone and is not connected is used again.
        links.tell(events -> {
            events.onDisconnected(0, false, "it was removed");
            events.onMembers(members(3, "c=far:3/4,d=far:5/6,e=far:9/10"));
        });
        await().until(() -> links.placed.contains("0 e"));
    }

    /** Room for two calls. */
    private AmoClient client(String... members) {
        return AmoClient.builder("g")
                .insecure()
                .maxCalls(2)
                .deadline(Duration.ofSeconds(30))
                .onSend(id -> {
                    Error planted = beforeSending.getAndSet(null);
                    if (planted != null) {
                        throw planted;
                    }
                })
                .build(new ClientId(0, 0), List.of(members), owner, links, () -> {});
    }

    private static CompletableFuture<byte[]> call(AmoClient client) {
        return client.callAsync(REQUEST).toCompletableFuture();
    }

    private void connected(int member) {
        await().until(() -> links.connecting.contains(member));
        links.connecting.remove(member);
        links.tell(events -> events.onConnected(member, Answer.NO_BOUND));
    }

    private void reply() {
        await().until(() -> !links.sent.isEmpty());
        links.answer(0, Answer.reply(Payloads.reply(REQUEST), 1, 0));
    }

    private static Throwable failure(CompletableFuture<byte[]> call) {
        return assertThrows(ExecutionException.class, () -> call.get(20, TimeUnit.SECONDS))
                .getCause();
    }

    @Test
    void ofCallsThatWaitForAConnectionOneMeetsAnErrorAndTheOthersGoOn() throws Exception {
        AmoClient client = client("a");
        CompletableFuture<byte[]> first = call(client);
        CompletableFuture<byte[]> second = call(client);
        beforeSending.set(new OutOfMemoryError("planted"));
        connected(0);
        assertInstanceOf(AmoUnknownException.class, failure(first));
        reply();
        assertArrayEquals(REQUEST, second.get(20, TimeUnit.SECONDS));
        assertEquals(
                Map.of(
                        "amo_client_calls_total", 2L,
                        "amo_client_redirects_total", 0L,
                        "amo_client_open_calls", 0L,
                        "amo_client_outcomes_total.REPLIED", 1L,
                        "amo_client_outcomes_total.NOT_EXECUTED", 0L,
                        "amo_client_outcomes_total.UNKNOWN", 1L),
                client.observed().readings().stream().collect(Collectors.toMap(Reading::fullName, Reading::value)));
        assertRoomForTwo(client);
    }

    @Test
    void ofCallsThatLeaveTogetherOneMeetsAnErrorAndTheOthersGoOn() throws Exception {
        AmoClient client = client("a");
        CompletableFuture<byte[]> before = call(client);
        connected(0);
        reply();
        before.get(20, TimeUnit.SECONDS);
        CountDownLatch both = new CountDownLatch(1);
        owner.execute(() -> {
            try {
                both.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        beforeSending.set(new OutOfMemoryError("planted"));
        CompletableFuture<byte[]> first = call(client);
        CompletableFuture<byte[]> second = call(client);
        both.countDown();
        assertInstanceOf(AmoUnknownException.class, failure(first));
        reply();
        assertArrayEquals(REQUEST, second.get(20, TimeUnit.SECONDS));
        assertRoomForTwo(client);
    }

    @Test
    void aCallEndsByItsDeadlineThoughItsBatchMetAnError() {
        AmoClient client = client("a");
        links.failure.set(new OutOfMemoryError("planted"));
        CompletableFuture<byte[]> call = client.callAsync(REQUEST, SHORT).toCompletableFuture();
        assertInstanceOf(AmoNotExecutedException.class, failure(call));
    }

    @Test
    void aClientWhoseThreadCannotBeStartedTriesAgainWithTheNextCall() {
        AmoClient client = client("a");
        threadsMissing.set(1);
        Throwable why = failure(call(client));
        assertInstanceOf(AmoNotExecutedException.class, why);
        assertTrue(why.getMessage().contains("unable to create native thread"), why.getMessage());
        CompletableFuture<byte[]> next = client.callAsync(REQUEST, SHORT).toCompletableFuture();
        await().until(() -> links.connecting.contains(0));
        assertInstanceOf(AmoNotExecutedException.class, failure(next));
        assertEquals(2, threads.get());
    }

    private void assertRoomForTwo(AmoClient client) throws Exception {
        List<CompletableFuture<byte[]>> calls = List.of(call(client), call(client));
        for (CompletableFuture<byte[]> each : calls) {
            reply();
            each.get(20, TimeUnit.SECONDS);
        }
        assertFalse(calls.stream().anyMatch(CompletableFuture::isCompletedExceptionally));
    }

    /** Member 0 has another secret. The others are connected, and slow: the client looks at member 0 again and again. */
    @Test
    void aMemberThatRefusesAgainAndAgainEndsNoCallThatOthersTake() throws Exception {
        AmoClient client = client("a", "b", "c");
        CompletableFuture<byte[]> call = call(client);
        connectOthers();
        await().until(() -> !links.sent.isEmpty());
        long copy = links.sent.remove().copy();
        links.tell(events -> {
            events.onAnswer(2, copy, Answer.refused(Refusal.OVERLOADED, 1, 0));
            // The call waits for its next attempt, and none is out.
            for (int i = 0; i < 4; i++) {
                events.onLeader("a");
                events.onDisconnected(0, true, "another secret");
            }
        });
        await().until(() -> call.isDone() || !links.sent.isEmpty());
        assertFalse(call.isDone(), "it ended while two members are there");
        links.answer(1, Answer.reply(Payloads.reply(REQUEST), 1, 0));
        assertArrayEquals(REQUEST, call.get(20, TimeUnit.SECONDS));
    }

    private void connectOthers() {
        await().until(() -> links.connecting.contains(0));
        links.tell(events -> events.onDisconnected(0, true, "another secret"));
        links.tell(events -> events.onLeader("c"));
        connected(2);
        connected(1);
    }

    @Test
    void membersThatAllRefuseEndTheCallAtOnce() {
        AmoClient client = client("a", "b", "c");
        CompletableFuture<byte[]> call = call(client);
        for (int member = 0; member < 3; member++) {
            int refusing = member;
            await().until(() -> links.connecting.contains(refusing));
            links.tell(events -> events.onDisconnected(refusing, true, "another secret"));
        }
        assertInstanceOf(AmoNotExecutedException.class, failure(call));
    }

    @Test
    void aCallOfAnInterruptedThreadDoesNotLeave() {
        AmoClient client = client("a");
        Thread.currentThread().interrupt();
        try {
            assertThrows(AmoNotExecutedException.class, () -> client.call(REQUEST));
            assertTrue(Thread.currentThread().isInterrupted());
        } finally {
            assertTrue(Thread.interrupted());
        }
        CompletableFuture<byte[]> next = call(client);
        connected(0);
        await().until(() -> !links.sent.isEmpty());
        assertEquals(1, links.sent.size(), "the first one left");
        reply();
        assertFalse(next.isCompletedExceptionally());
    }
}
