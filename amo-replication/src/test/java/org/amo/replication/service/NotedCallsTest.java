package org.amo.replication.service;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.amo.base.ClientId;
import org.amo.base.DaemonThreads;
import org.amo.core.client.Attempt;
import org.amo.core.request.Answer;
import org.amo.core.request.Refusal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The order of a client's records on disk, its attempts and its outcomes. */
@Timeout(60)
class NotedCallsTest {
    private static final ClientId ID = new ClientId(1, 2);
    private static final byte[] REPLY = Payloads.reply("done".getBytes(UTF_8));

    @TempDir
    Path folder;

    private final ScheduledExecutorService owner =
            Executors.newSingleThreadScheduledExecutor(DaemonThreads.factory("amo-test-client"));
    private final LinksInHand links = new LinksInHand(owner);
    private final AtomicReference<String> broken = new AtomicReference<>("");

    private ClientIdentity identity;
    private AmoClient client;

    @BeforeEach
    void start() throws IOException {
        identity = ClientIdentity.open(folder.resolve("identity"), "count", ID);
        client = build(identity, AmoClient.builder("count"));
    }

    private AmoClient build(ClientIdentity of, AmoClient.Builder builder) {
        return builder.deadline(Duration.ofSeconds(20))
                .build(ID, List.of("a"), owner, links, Optional.empty(), Optional.of(of), former -> links, () -> {});
    }

    @AfterEach
    void end() {
        links.leaving.set(attempt -> {});
        client.close();
        owner.shutdownNow();
        assertEquals("", broken.get());
    }

    /** As the next life would find them now. */
    private List<CallJournal.OpenCall> openCalls() {
        try {
            Path copy = folder.resolve("copy");
            Files.copy(folder.resolve("identity").resolve("calls-1"), copy, StandardCopyOption.REPLACE_EXISTING);
            try (CallJournal read = CallJournal.open(copy, "count").orElseThrow()) {
                return read.openCalls();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean isOpen(long number) {
        return openCalls().stream().anyMatch(call -> call.identity().id().number() == number);
    }

    private CompletableFuture<byte[]> inThread(String request, Duration deadline) {
        return CompletableFuture.supplyAsync(
                () -> client.call(request.getBytes(UTF_8), deadline),
                task -> DaemonThreads.start("amo-test-call", task));
    }

    private void connect() {
        await().until(() -> !links.connecting.isEmpty());
        links.tell(events -> events.onConnected(0, 0));
    }

    private void reply() {
        await().until(() -> !links.sent.isEmpty());
        links.answer(0, Answer.reply(REPLY, 1, 0));
    }

    /** Checks every attempt that leaves. */
    private void check(Predicate<Attempt> rule, String what) {
        links.leaving.set(attempt -> {
            if (!rule.test(attempt)) {
                broken.set(what + ": " + attempt);
            }
        });
    }

    @Test
    void aCallIsInTheFileBeforeAnAttemptLeaves() {
        check(attempt -> isOpen(attempt.id().number()), "left before it was noted");
        CompletableFuture<byte[]> call = inThread("x", Duration.ofSeconds(20));
        connect();
        reply();
        assertEquals("done", new String(call.join(), UTF_8));
    }

    @Test
    void itIsOnDiskBeforeAnAttemptLeavesIfCallsAreForced() throws IOException {
        client.close();
        identity = ClientIdentity.open(folder.resolve("identity"), "count", ID);
        client = build(identity, AmoClient.builder("count").forceCalls());
        check(attempt -> identity.present().isForced(), "left before the disk had it");
        CompletableFuture<byte[]> call = inThread("x", Duration.ofSeconds(20));
        connect();
        reply();
        call.join();
    }

    @Test
    void anOutcomeIsOpenUntilItsThreadCallsAgainAndItsEndIsInTheFileBeforeItIsAcknowledged() {
        check(
                attempt -> attempt.finished().isEmpty()
                        || !isOpen(attempt.finished().floor()),
                "acknowledged before the end was noted");
        AtomicReference<Boolean> open = new AtomicReference<>(false);
        CompletableFuture<Void> calls = CompletableFuture.runAsync(
                () -> {
                    client.call("x".getBytes(UTF_8));
                    open.set(isOpen(1));
                    client.call("y".getBytes(UTF_8));
                },
                task -> DaemonThreads.start("amo-test-call", task));
        connect();
        reply();
        await().until(() -> !links.sent.isEmpty());
        assertTrue(open.get(), "the reply was not handled");
        assertEquals(1, links.sent.peek().finished().floor());
        assertFalse(isOpen(1));
        assertTrue(isOpen(2));
        reply();
        calls.join();
    }

    @Test
    void anOutcomeIsOpenUntilItsThreadEnds() {
        CountDownLatch handled = new CountDownLatch(1);
        CompletableFuture<Void> call = CompletableFuture.runAsync(
                () -> {
                    client.call("x".getBytes(UTF_8));
                    try {
                        handled.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                },
                task -> DaemonThreads.start("amo-test-call", task));
        connect();
        reply();
        // The threads are looked at once before it ends.
        await().pollDelay(Duration.ofMillis(1_100)).until(() -> isOpen(1));
        handled.countDown();
        call.join();
        await().until(() -> !isOpen(1));
    }

    @Test
    void anOutcomeOfAStageIsOpenWhileItsActionsRun() {
        AtomicReference<Boolean> open = new AtomicReference<>(false);
        CompletableFuture<Void> call = client.callAsync("x".getBytes(UTF_8))
                .thenAccept(reply -> open.set(isOpen(1)))
                .toCompletableFuture();
        connect();
        reply();
        call.join();
        assertTrue(open.get());
        await().until(() -> !isOpen(1));
    }

    /** Else the next life would send it again, and it could run after the application was told that it never will. */
    @Test
    void aCallThatIsNotExecutedIsNotedSoBeforeItsCallerIsTold() {
        CompletableFuture<byte[]> call = inThread("x", Duration.ofSeconds(2));
        CompletableFuture<Boolean> noted = call.handle(
                (reply, why) -> openCalls().size() == 1 && openCalls().get(0).isRefused());
        connect();
        await().until(() -> {
            if (!links.sent.isEmpty()) {
                links.answer(0, Answer.refused(Refusal.TOO_EARLY, 1, 0));
            }
            return call.isDone();
        });
        assertInstanceOf(
                AmoNotExecutedException.class,
                assertThrows(CompletionException.class, call::join).getCause());
        assertTrue(noted.join());
    }

    @Test
    void aCallLeavesNoMoreWhenItCannotBeNoted() throws IOException {
        identity.present().close();
        CompletableFuture<byte[]> first = inThread("x", Duration.ofSeconds(2));
        connect();
        assertThrows(CompletionException.class, first::join);
        AmoException second = assertThrows(AmoException.class, () -> client.call("y".getBytes(UTF_8)));
        assertInstanceOf(AmoNotExecutedException.class, second);
        assertTrue(String.valueOf(second.getMessage()).contains("cannot be written"), second.getMessage());
        assertEquals(0, links.sent.size());
    }

    @Test
    void aOnewayIsNotNoted() {
        client.oneway("x".getBytes(UTF_8));
        connect();
        await().until(() -> !links.sent.isEmpty());
        assertEquals(List.of(), openCalls());
    }

    @Test
    void aCallThatCloseGaveUpIsOpenForTheNextLifeAndAnOutcomeFromBeforeIsNot() {
        CompletableFuture<byte[]> first = inThread("x", Duration.ofSeconds(20));
        connect();
        reply();
        first.join();
        CompletableFuture<byte[]> second = inThread("y", Duration.ofSeconds(20));
        await().until(() -> !links.sent.isEmpty());
        client.close();
        assertThrows(CompletionException.class, second::join);
        assertEquals(
                List.of(2L),
                openCalls().stream().map(call -> call.identity().id().number()).toList());
    }

    /** Its stage has ended, too, which counts as handled before. */
    @Test
    void anAsynchronousCallThatCloseGaveUpIsOpenForTheNextLife() throws IOException {
        for (int life = 1; life <= 8; life++) {
            client.close();
            links.sent.clear();
            links.connecting.clear();
            Path place = folder.resolve("life-" + life);
            identity = ClientIdentity.open(place, "count", ID);
            client = build(identity, AmoClient.builder("count").executor(Runnable::run));
            CompletableFuture<byte[]> call =
                    client.callAsync("x".getBytes(UTF_8)).toCompletableFuture();
            connect();
            await().until(() -> !links.sent.isEmpty());
            client.close();
            assertThrows(CompletionException.class, call::join);
            try (CallJournal read =
                    CallJournal.open(place.resolve("calls-1"), "count").orElseThrow()) {
                assertEquals(1, read.openCalls().size(), "life " + life);
            }
        }
    }

    @Test
    void anotherClientIsRefusedWhileThisOneRuns() {
        IOException refused = assertThrows(
                IOException.class,
                () -> ClientIdentity.open(folder.resolve("identity"), "count", AmoClient.Builder.drawId()));
        assertTrue(
                String.valueOf(refused.getMessage())
                        .endsWith(
                                "belongs to a client that is running; end it, or give this client a folder of its own"),
                refused.getMessage());
    }
}
