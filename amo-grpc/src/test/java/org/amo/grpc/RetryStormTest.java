package org.amo.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.ServerInterceptors;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.amo.base.DaemonThreads;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** gRPC over Netty, with its own retries and hedging switched on, and a network that loses answers. */
@Timeout(120)
final class RetryStormTest {
    private static final int THREADS = 4;
    private static final int CALLS = 100;
    private static final double CUT = 0.1;

    /** It logs each reply whose connection was cut. A field, since a logger without a reference loses its level. */
    private static final Logger CUT_REPLIES = Logger.getLogger("io.grpc.netty.NettyServerHandler");

    @TempDir
    private Path folder;

    private final CounterService plain = new CounterService();
    private final CounterService guarded = new CounterService();
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS, DaemonThreads.factory("amo-test"));
    private final List<AutoCloseable> open = new ArrayList<>();
    private AtMostOnceServer once;
    private AtMostOnceClient client;

    @BeforeAll
    static void leaveOutCutReplies() {
        CUT_REPLIES.setLevel(Level.OFF);
    }

    @BeforeEach
    void start() throws Exception {
        once = AtMostOnceServer.open(
                folder, AtMostOnceServer.Options.builder().forced(false).build());
        client = AtMostOnceClient.create();
        open.add(client);
    }

    @AfterEach
    void end() throws Exception {
        guarded.release();
        plain.release();
        threads.shutdownNow();
        for (AutoCloseable each : open) {
            each.close();
        }
        once.close();
    }

    private Server server(CounterService service, boolean isGuarded) throws Exception {
        Server server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .addService(isGuarded ? ServerInterceptors.intercept(service.definition(), once) : service.definition())
                .build()
                .start();
        open.add(server::shutdownNow);
        return server;
    }

    private ManagedChannel channel(int port, Map<String, ?> policy) {
        ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", port)
                .usePlaintext()
                .enableRetry()
                .defaultServiceConfig(Map.of("methodConfig", List.of(policy)))
                .build();
        open.add(0, channel::shutdownNow);
        return channel;
    }

    private static Map<String, ?> retries() {
        return Map.of(
                "name",
                List.of(Map.of()),
                "retryPolicy",
                Map.of(
                        "maxAttempts",
                        4.0,
                        "initialBackoff",
                        "0.01s",
                        "maxBackoff",
                        "0.05s",
                        "backoffMultiplier",
                        2.0,
                        "retryableStatusCodes",
                        List.of("UNAVAILABLE")));
    }

    private static Map<String, ?> hedging() {
        return Map.of("name", List.of(Map.of()), "hedgingPolicy", Map.of("maxAttempts", 3.0, "hedgingDelay", "0.05s"));
    }

    @Test
    void aPlainServiceCountsMoreThanItWasToldAndAGuardedOneExactly() throws Exception {
        int toldPlain = storm(plain, false);
        int toldGuarded = storm(guarded, true);
        System.out.println("retry storm: plain was told " + toldPlain + " times and ran " + plain.runs() + "; with amo "
                + toldGuarded + " and " + guarded.runs());
        assertTrue(plain.runs() > toldPlain, "plain ran " + plain.runs() + " of " + toldPlain);
        assertTrue(plain.most() > 1);
        assertEquals(THREADS * CALLS, toldGuarded);
        assertEquals(toldGuarded, guarded.runs());
        assertEquals(1, guarded.most());
        assertTrue(
                once.engine().entries() <= THREADS, "entries: " + once.engine().entries());
    }

    /** @return calls with a reply */
    private int storm(CounterService service, boolean isGuarded) throws Exception {
        try (CuttingProxy proxy = new CuttingProxy(server(service, isGuarded).getPort(), CUT, 1)) {
            ManagedChannel raw = channel(proxy.port(), retries());
            Channel channel = isGuarded ? ClientInterceptors.intercept(raw, client) : raw;
            List<Callable<Integer>> callers = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                String name = "c" + i + "-";
                callers.add(() -> call(channel, name));
            }
            int told = 0;
            for (Future<Integer> each : threads.invokeAll(callers)) {
                told += each.get();
            }
            assertTrue(proxy.cuts() > 5, "cuts: " + proxy.cuts());
            return told;
        }
    }

    /** A client as they are: gRPC's retries, and a loop around them. */
    private static int call(Channel channel, String name) {
        int told = 0;
        for (int i = 0; i < CALLS; i++) {
            for (int attempt = 0; attempt < 20; attempt++) {
                try {
                    ClientCalls.blockingUnaryCall(
                            channel, Bytes.ADD, CallOptions.DEFAULT.withDeadlineAfter(20, TimeUnit.SECONDS), name + i);
                    told++;
                    break;
                } catch (StatusRuntimeException e) {
                    if (AtMostOnceClient.mayHaveRun(e)
                            && e.getTrailers() != null
                            && e.getTrailers().containsKey(AttemptOutcome.MAY_HAVE_RUN)) {
                        throw e;
                    }
                }
            }
        }
        return told;
    }

    @Test
    void hedgedAttemptsRunOnce() throws Exception {
        ManagedChannel toPlain = channel(server(plain, false).getPort(), hedging());
        Future<String> unguarded = ClientCalls.futureUnaryCall(toPlain.newCall(Bytes.ADD, CallOptions.DEFAULT), "hold");
        await(() -> plain.runsOf("hold") == 3);
        ManagedChannel to = channel(server(guarded, true).getPort(), hedging());
        Channel channel = ClientInterceptors.intercept(to, client);
        Future<String> hedged = ClientCalls.futureUnaryCall(channel.newCall(Bytes.ADD, CallOptions.DEFAULT), "hold");
        await(() -> guarded.runsOf("hold") == 1 && once.engine().waiting() == 3);
        guarded.release();
        plain.release();
        assertEquals("hold 1", hedged.get(10, TimeUnit.SECONDS));
        assertTrue(unguarded.get(10, TimeUnit.SECONDS).startsWith("hold "));
        assertEquals(1, guarded.runs());
        assertEquals(3, plain.runs());
    }

    @Test
    void repliesThatAreAcknowledgedTakeNoRoom() throws Exception {
        ManagedChannel to = channel(server(guarded, true).getPort(), retries());
        Channel channel = ClientInterceptors.intercept(to, client);
        long most = 0;
        for (int i = 0; i < 500; i++) {
            ClientCalls.blockingUnaryCall(channel, Bytes.ADD, CallOptions.DEFAULT, "x".repeat(1_000) + i);
            most = Math.max(most, once.engine().replyBytes());
        }
        System.out.println("500 calls with replies of 1,000 bytes: at most " + most + " bytes were kept");
        assertTrue(most < 3_000, "bytes: " + most);
        assertEquals(500, guarded.runs());
    }

    private static void await(Callable<Boolean> condition) {
        Awaitility.await().atMost(Duration.ofSeconds(20)).until(condition);
    }
}
