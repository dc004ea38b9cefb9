package org.amo.replication.service;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.amo.base.CallPath;
import org.amo.base.ClientId;
import org.amo.core.client.Attempt;
import org.amo.core.client.Delivery;
import org.amo.core.order.Member;
import org.amo.core.sack.FinishedNumbers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two threads may close a client, and others call it: the thread that owns it may be gone when they come. */
@Timeout(60)
class ClosedClientTest {
    private final ScheduledExecutorService owner = Executors.newSingleThreadScheduledExecutor();
    private final AmoClient client =
            AmoClient.builder("g").insecure().build(new ClientId(1, 2), List.of("a"), owner, new NoLinks(), () -> {});

    /** No member is ever connected. */
    private static final class NoLinks implements MemberLinks {
        @Override
        public Delivery delivery() {
            return Delivery.AT_MOST_ONCE;
        }

        @Override
        public void connect(int member, Events events) {}

        @Override
        public void place(int number, Member member) {}

        @Override
        public void send(int member, Attempt copy, CallPath path) {}

        @Override
        public void acknowledge(int member, FinishedNumbers finished) {}

        @Override
        public void ask(int member, byte[] question, Consumer<Optional<byte[]>> answer) {}

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    @Test
    void closingReturnsThoughTheThreadIsGone() throws Exception {
        owner.shutdownNow();
        client.close();
        assertEveryCallEnds();
    }

    @Test
    void eachCallEndsThoughTheThreadIsGone() throws Exception {
        owner.shutdownNow();
        assertEveryCallEnds();
    }

    @Test
    void aClosedClientIsClosedAgain() throws Exception {
        client.close();
        owner.shutdownNow();
        client.close();
        assertEveryCallEnds();
    }

    /** As the threads of a pool that was told to stop are. */
    @Test
    void anInterruptedThreadGivesTheOpenCallsUp() throws Exception {
        AmoClient reading = AmoClient.builder("g")
                .insecure()
                .build(
                        new ClientId(1, 3),
                        List.of("a"),
                        owner,
                        new NoLinks(),
                        Optional.of(new NoLinks()),
                        Optional.empty(),
                        former -> new NoLinks(),
                        () -> {});
        CompletionStage<byte[]> call = reading.callAsync(new byte[1]);
        CompletionStage<byte[]> read = reading.queryAsync(new byte[1]);
        Thread.currentThread().interrupt();
        reading.close();
        assertTrue(Thread.interrupted());
        assertFails(call);
        assertFails(read);
    }

    private void assertEveryCallEnds() throws Exception {
        // The first one finds that the thread takes none, and none may wait for it after that.
        for (int i = 0; i < 2; i++) {
            assertThrows(AmoNotExecutedException.class, () -> client.call(new byte[1]));
            assertFails(client.callAsync(new byte[1]));
            assertFails(client.ask(new byte[1], Duration.ofSeconds(10)));
        }
    }

    private static void assertFails(CompletionStage<byte[]> stage) throws Exception {
        Throwable why =
                stage.handle((reply, failed) -> failed).toCompletableFuture().get(20, TimeUnit.SECONDS);
        assertInstanceOf(AmoException.class, why instanceof CompletionException ? why.getCause() : why);
    }
}
