package org.amo.exon.udp;

import static org.amo.exon.udp.ExonEndpointTest.A;
import static org.amo.exon.udp.ExonEndpointTest.B;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.amo.exon.ExonOptions;
import org.amo.exon.NodeId;
import org.amo.exon.Outcome;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two endpoints on real sockets with a relay between them that loses, doubles and reorders. */
@Timeout(300)
class BadNetworkTest {
    private static final Duration LONG = Duration.ofSeconds(250);

    /** The messages of a run, each with its number in front. */
    private static final class Flow implements AutoCloseable {
        final AtomicIntegerArray got;
        final AtomicInteger delivered = new AtomicInteger();
        final AtomicInteger otherwise = new AtomicInteger();
        final ExonEndpoint a;
        final ExonEndpoint b;
        final LossyRelay relay;
        private final int length;
        private final Semaphore open = new Semaphore(50_000);

        Flow(int count, int length, ExonOptions core) throws Exception {
            this.length = length;
            got = new AtomicIntegerArray(count);
            b = ExonEndpoint.open(
                    ExonEndpointOptions.builder(B, "a secret of tests")
                            .core(core)
                            .build(),
                    (from, message) ->
                            got.incrementAndGet(ByteBuffer.wrap(message).getInt()));
            a = ExonEndpoint.open(
                    ExonEndpointOptions.builder(A, "a secret of tests")
                            .core(core)
                            .build(),
                    (from, message) -> {});
            relay = new LossyRelay(b.address(), 42);
            a.hint(B, relay.address());
        }

        void send(int from, int to) throws InterruptedException {
            for (int i = from; i < to; i++) {
                open.acquire();
                byte[] message = ByteBuffer.allocate(length).putInt(i).array();
                CompletableFuture<Void> unused = a.send(B, message, LONG).thenAccept(outcome -> {
                    (outcome == Outcome.DELIVERED ? delivered : otherwise).incrementAndGet();
                    open.release();
                });
            }
        }

        void awaitAll() {
            Awaitility.await().atMost(LONG).until(() -> delivered.get() + otherwise.get() == got.length());
            assertEquals(0, otherwise.get());
            Awaitility.await().until(() -> {
                for (int i = 0; i < got.length(); i++) {
                    if (got.get(i) == 0) {
                        return false;
                    }
                }
                return true;
            });
            for (int i = 0; i < got.length(); i++) {
                assertEquals(1, got.get(i), "message " + i);
            }
        }

        @Override
        public void close() throws IOException {
            a.close();
            b.close();
            relay.close();
        }
    }

    private static ExonOptions defaults() {
        return ExonOptions.builder().build();
    }

    /** Row E2: 20 % of everything. */
    @Test
    void lossDuplicationAndReorderingLoseAndDoubleNothing() throws Exception {
        twentyPercentOfEverything(30_000);
    }

    @Test
    @Tag("slow")
    void lossDuplicationAndReorderingLoseAndDoubleNoneOfAMillion() throws Exception {
        twentyPercentOfEverything(1_000_000);
    }

    private static void twentyPercentOfEverything(int count) throws Exception {
        try (Flow flow = new Flow(count, 40, defaults())) {
            flow.relay.faults(0.2, 0.2, 0.2);
            flow.send(0, count);
            flow.awaitAll();
        }
    }

    /** Row E3. */
    @Test
    void whatIsSentIntoNinetyPercentLossArrives() throws Exception {
        ninetyPercentLoss(1);
    }

    @Test
    @Tag("slow")
    void whatIsSentIntoAMinuteOfNinetyPercentLossArrives() throws Exception {
        ninetyPercentLoss(60);
    }

    private static void ninetyPercentLoss(int seconds) throws Exception {
        try (Flow flow = new Flow(2_000, 200, defaults())) {
            flow.relay.faults(0.9, 0, 0);
            flow.send(0, 2_000);
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
            Awaitility.await().atMost(LONG).until(() -> System.nanoTime() > end);
            flow.relay.faults(0, 0, 0);
            flow.awaitAll();
        }
    }

    /** Row E11: the receiver sees the sender at another address, again and again, in mid-transfer. */
    @Test
    void aNodeMayChangeItsAddressInMidTransfer() throws Exception {
        try (Flow flow = new Flow(20_000, 500, defaults())) {
            for (int i = 0; i < 10; i++) {
                flow.send(2_000 * i, 2_000 * (i + 1));
                flow.relay.moveClient();
            }
            flow.awaitAll();
        }
    }

    /** Row E6: nothing is remembered of nodes that were served and went. */
    @Test
    void afterTheIdleTimeNothingIsRemembered() throws Exception {
        ExonOptions core = ExonOptions.builder()
                .idleMicros(100_000)
                .abandonMicros(60_000_000)
                .build();
        try (ExonEndpoint b = ExonEndpoint.open(
                ExonEndpointOptions.builder(B, "a secret of tests").core(core).build(), (from, message) -> {})) {
            int nodes = 20;
            for (int i = 0; i < nodes; i++) {
                NodeId id = new NodeId(9, i);
                try (ExonEndpoint a = ExonEndpoint.open(
                        ExonEndpointOptions.builder(id, "a secret of tests")
                                .core(core)
                                .build(),
                        (from, message) -> {})) {
                    a.hint(B, b.address());
                    assertEquals(Outcome.DELIVERED, a.send(B, new byte[10]).get(30, TimeUnit.SECONDS));
                    Awaitility.await()
                            .until(() -> a.figures().get(5, TimeUnit.SECONDS).peers() == 0);
                }
            }
            Awaitility.await().until(() -> b.figures().get(5, TimeUnit.SECONDS).peers() == 0);
            ExonFigures figures = b.figures().get(5, TimeUnit.SECONDS);
            assertTrue(figures.openSlots() == 0 && figures.heldUnits() == 0, figures::toString);
            assertEquals(nodes, figures.delivered());
        }
    }
}
