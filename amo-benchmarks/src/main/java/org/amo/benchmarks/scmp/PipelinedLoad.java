package org.amo.benchmarks.scmp;

import io.netty.channel.EventLoop;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.amo.scmp.RpcClientOptions;
import org.amo.scmp.udp.ScmpClient;
import org.amo.scmp.udp.ScmpTransport;

/** Many calls under way by our own client: each reply starts the next call on its event loop. */
@SuppressWarnings("FutureReturnValueIgnored") // each call's end starts the next; the round has a limit
final class PipelinedLoad {
    private static final byte[] ARGUMENTS = new byte[NullCall.BYTES];

    /** So that a machine that is slow for a moment does not measure retransmissions. */
    private static final RpcClientOptions PATIENT = RpcClientOptions.builder()
            .firstRetry(Duration.ofSeconds(1))
            .minRetry(Duration.ofSeconds(1))
            .build();

    private final ScmpTransport transport;
    private final EventLoop serverLoop;
    private final int outstanding;
    private final long limitSeconds;

    PipelinedLoad(ScmpTransport transport, EventLoop serverLoop, int outstanding, long limitSeconds) {
        this.transport = transport;
        this.serverLoop = serverLoop;
        this.outstanding = outstanding;
        this.limitSeconds = limitSeconds;
    }

    /** So many calls over SCMP, or as many as the time allows. */
    Rate scmp(InetSocketAddress server, int calls) throws IOException, InterruptedException, ExecutionException {
        Round round = new Round(calls);
        try (ScmpClient client = ScmpClient.builder(server)
                .insecure()
                .core(PATIENT)
                .transport(transport)
                .open()) {
            return round.run(() -> next(client, round));
        }
    }

    private void next(ScmpClient client, Round round) {
        client.callAsync(1, ARGUMENTS, Duration.ofSeconds(5)).whenComplete((reply, failure) -> {
            if (round.goesOn(failure == null)) {
                next(client, round);
            }
        });
    }

    private final class Round {
        private final AtomicInteger left;
        private final int calls;
        private final CountDownLatch done = new CountDownLatch(1);

        private Round(int calls) {
            this.calls = calls;
            this.left = new AtomicInteger(calls);
        }

        private boolean goesOn(boolean answered) {
            int now = answered ? left.decrementAndGet() : left.get();
            if (now <= 0) {
                done.countDown();
            }
            return now > 0;
        }

        private Rate run(Runnable one) throws InterruptedException, ExecutionException {
            long cpu = cpuNanos();
            long start = System.nanoTime();
            for (int i = 0; i < outstanding; i++) {
                one.run();
            }
            boolean ended = done.await(limitSeconds, TimeUnit.SECONDS);
            int answered = calls - Math.max(0, left.get());
            Rate rate = new Rate(
                    answered * 1e9 / (System.nanoTime() - start), answered * 1e9 / Math.max(1, cpuNanos() - cpu));
            if (!ended) {
                left.set(0);
            }
            return rate;
        }
    }

    private long cpuNanos() throws InterruptedException, ExecutionException {
        return serverLoop.submit(Threads::cpuNanos).get();
    }
}
