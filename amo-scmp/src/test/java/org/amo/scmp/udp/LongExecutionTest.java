package org.amo.scmp.udp;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.amo.scmp.RpcCounters;
import org.amo.scmp.ScmpOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** S17 in real time: a call that runs for twice ρ, ten minutes. {@code -Dscmp.longExecutionSeconds} makes both shorter. */
class LongExecutionTest {
    private static final long SECONDS = Integer.getInteger("scmp.longExecutionSeconds", 600);

    @Test
    @Tag("slow")
    void aDuplicateOfACallThatHasRunForTenMinutesIsNotExecutedAgain() throws Exception {
        AtomicInteger executions = new AtomicInteger();
        CountDownLatch release = new CountDownLatch(1);
        try (ScmpServer server = ScmpServerOptions.builder(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .insecure()
                        .neverExisted()
                        // Whatever may be forgotten is forgotten at the next tick.
                        .core(ScmpServerOptions.coreForHeap()
                                .scmp(ScmpOptions.builder()
                                        .retention(Duration.ofSeconds(SECONDS / 2))
                                        .collectAbove(0)
                                        .build())
                                .replyKept(Duration.ofSeconds(SECONDS / 2))
                                .build())
                        .service(1, (caller, arguments) -> {
                            executions.incrementAndGet();
                            release.await(2 * SECONDS, TimeUnit.SECONDS);
                            return arguments;
                        })
                        .start();
                Tap tap = new Tap(server.address().getPort());
                ScmpClient client = ScmpClient.builder(tap.address()).insecure().open()) {
            CompletableFuture<byte[]> call = client.callAsync(1, new byte[500], Duration.ofSeconds(2 * SECONDS));
            long begun = System.nanoTime();
            await().atMost(Duration.ofSeconds(SECONDS + 60))
                    .pollInterval(Duration.ofSeconds(1))
                    .until(() -> System.nanoTime() - begun > TimeUnit.SECONDS.toNanos(SECONDS));
            byte[] first = tap.requests().get(0);
            long acknowledged = server.counters().acknowledged();
            tap.replay(first);
            // The client's own retransmissions are acknowledged too; of two more, one came behind the copy.
            await().atMost(Duration.ofSeconds(20)).until(() -> server.counters().acknowledged() >= acknowledged + 2);
            assertEquals(1, executions.get());
            assertEquals(1, server.counters().connections());
            release.countDown();
            assertArrayEquals(new byte[500], call.get(20, TimeUnit.SECONDS));
            RpcCounters before = server.counters();
            tap.replay(first);
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> server.counters().repliesSentAgain()
                                    + server.counters().ignored()
                            > before.repliesSentAgain() + before.ignored());
            assertEquals(1, server.counters().accepted());
            assertEquals(1, executions.get());
        }
    }
}
