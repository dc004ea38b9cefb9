package org.amo.replication.service;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.amo.base.ClientId;
import org.amo.base.DaemonThreads;
import org.amo.core.replica.ReplicatedService.ReadAnswer;
import org.amo.core.request.Answer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Errors in the one thread of a client end one read, and give its room back. */
@Timeout(60)
class ClientReadsTest {
    private static final byte[] REQUEST = {1};

    private final AtomicInteger threadsMissing = new AtomicInteger();
    private final ScheduledThreadPoolExecutor owner = new ScheduledThreadPoolExecutor(1, task -> {
        if (threadsMissing.getAndDecrement() > 0) {
            // JUnit ends at an OutOfMemoryError.
            throw new InternalError("unable to create native thread");
        }
        return DaemonThreads.unstarted("amo-test-client", task);
    });
    private final LinksInHand links = new LinksInHand(owner);

    /** Room for one call or read. */
    private final AmoClient client = AmoClient.builder("g")
            .insecure()
            .maxCalls(1)
            .deadline(Duration.ofMinutes(5))
            .build(
                    new ClientId(1, 2),
                    List.of("a"),
                    owner,
                    new LinksInHand(owner),
                    Optional.of(links),
                    Optional.empty(),
                    former -> links,
                    () -> {});

    @AfterEach
    void end() {
        owner.shutdownNow();
    }

    private CompletableFuture<byte[]> read() {
        return client.queryAsync(REQUEST).toCompletableFuture();
    }

    private static void assertFails(CompletableFuture<byte[]> read) {
        assertInstanceOf(
                AmoReadException.class,
                assertThrows(ExecutionException.class, () -> read.get(20, TimeUnit.SECONDS))
                        .getCause());
    }

    private void assertAnswered(CompletableFuture<byte[]> read) throws Exception {
        await().until(() -> !links.reads.isEmpty());
        owner.execute(() -> links.reads.remove().accept(Optional.of(ReadAnswer.result(1, Payloads.reply(REQUEST)))));
        assertArrayEquals(REQUEST, read.get(20, TimeUnit.SECONDS));
    }

    private CompletableFuture<byte[]> firstRead() {
        CompletableFuture<byte[]> read = read();
        await().until(() -> !links.connecting.isEmpty());
        links.tell(events -> events.onConnected(0, Answer.NO_BOUND));
        return read;
    }

    @Test
    void aReadForWhichThereIsNoThreadEndsAndTheNextOneTriesAgain() throws Exception {
        threadsMissing.set(1);
        assertFails(read());
        assertAnswered(firstRead());
    }

    @Test
    void aReadThatMeetsAnErrorEndsAndTheNextOneIsAnswered() throws Exception {
        assertAnswered(firstRead());
        // No timer is left that would look at the read.
        await().until(() -> owner.getQueue().isEmpty());
        links.readFailure.set(new OutOfMemoryError("planted"));
        assertFails(read());
        assertAnswered(read());
    }
}
