package org.amo.scmp.udp;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOError;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.amo.base.observe.Observed;
import org.amo.scmp.CallOutcome;
import org.amo.scmp.RpcClientOptions;
import org.amo.scmp.RpcDatagrams;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Server and client over real sockets. */
class ScmpCallsTest {
    private static final int ECHO = 1;
    private static final int COUNT = 2;
    private static final int WAIT = 3;
    private static final int LARGE = 4;
    private static final int FAIL = 5;
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final byte[] KEY = "0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.UTF_8);

    private final AtomicInteger executions = new AtomicInteger();
    private final CountDownLatch release = new CountDownLatch(1);
    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void closeAll() throws Exception {
        release.countDown();
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
    }

    private ScmpServerOptions.Builder options() {
        return ScmpServerOptions.builder(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .neverExisted()
                .inlineService(ECHO, (caller, arguments) -> arguments)
                .service(COUNT, (caller, arguments) -> new byte[] {(byte) executions.incrementAndGet()})
                .service(WAIT, (caller, arguments) -> {
                    executions.incrementAndGet();
                    release.await(60, TimeUnit.SECONDS);
                    return arguments;
                })
                .service(LARGE, (caller, arguments) -> {
                    executions.incrementAndGet();
                    return new byte[60_000];
                })
                .service(FAIL, (caller, arguments) -> {
                    throw new IllegalStateException("no money left");
                });
    }

    private ScmpServer server(ScmpServerOptions.Builder builder) throws IOException {
        ScmpServer server = builder.start();
        open.add(server);
        return server;
    }

    private ScmpClient client(ScmpClient.Builder builder) throws IOException {
        ScmpClient client = builder.open();
        open.add(client);
        return client;
    }

    private Tap tap(ScmpServer server) throws IOException {
        Tap tap = new Tap(server.address().getPort());
        open.add(tap);
        return tap;
    }

    private static boolean isReply(byte[] datagram) {
        return (datagram[1] & 0x0F) == 4;
    }

    /**
     * A client that sends nothing again while a call may last, however slow the machine is. The minimum keeps a second call from it: once
     * a round trip was measured, the first retry counts no more.
     */
    private static RpcClientOptions unhurried() {
        Duration never = Duration.ofMinutes(1);
        return RpcClientOptions.builder()
                .replyAckDelay(never)
                .minRetry(never)
                .firstRetry(never)
                .maxRetry(never)
                .build();
    }

    @Test
    void theFirstCallOfAClientNeverSeenTakesOneDatagramEachWay() throws Exception {
        Tap tap = tap(server(options().insecure()));
        ScmpClient client = client(ScmpClient.builder(tap.address()).insecure().core(unhurried()));
        assertArrayEquals(new byte[] {1}, client.call(COUNT, new byte[0]));
        assertEquals(1, tap.requests().size());
        assertEquals(1, tap.answers().size());
        assertArrayEquals(new byte[] {2}, client.call(COUNT, new byte[0]), "the next call acknowledges by itself");
        assertEquals(2, tap.requests().size());
    }

    @Test
    void argumentsBeyondTheirBudgetAreTakenWhenThereIsRoom() throws Exception {
        ScmpServer server = server(options().insecure().workers(1).maxQueuedBytes(150_000));
        ScmpClient client = client(ScmpClient.builder(server.address()).insecure());
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            calls.add(client.callAsync(WAIT, new byte[60_000], LIMIT));
        }
        await().atMost(LIMIT).until(() -> server.dropped() >= 4);
        assertEquals(2, server.counters().computing());
        release.countDown();
        for (CompletableFuture<byte[]> call : calls) {
            assertEquals(60_000, call.get(20, TimeUnit.SECONDS).length);
        }
        assertEquals(6, executions.get());
    }

    @Test
    void noServerWithAStateFileIsNewBecauseItsProgramSaysSo() {
        ScmpServerOptions.Builder both = options().insecure().stateFile(Path.of("latest"));
        String why = assertThrows(IllegalArgumentException.class, both::build).getMessage();
        assertTrue(why.contains("ScmpServer.initialize"), why);
    }

    @Test
    void budgetsOfBytesFollowTheHeapAndThatOfArgumentsHoldsOneCallAtLeast() {
        long heap = Runtime.getRuntime().maxMemory();
        ScmpServerOptions defaults = options().insecure().build();
        assertEquals(heap / 16, defaults.maxQueuedBytes());
        assertEquals(Math.min(256L << 20, heap / 8), defaults.core().maxReplyBytes());
        assertEquals(RpcDatagrams.MAX_BODY, defaults.core().reservedReplyBytes());
        int longest = RpcDatagrams.MAX_BODY;
        assertEquals(
                longest, options().insecure().maxQueuedBytes(longest).build().maxQueuedBytes());
        ScmpServerOptions.Builder shorter = options().insecure().maxQueuedBytes(longest - 1);
        String why =
                assertThrows(IllegalArgumentException.class, shorter::build).getMessage();
        assertTrue(why.contains("maxQueuedBytes") && why.contains("" + (longest - 1)), why);
    }

    @Test
    void aCapturedDatagramSentAgainIsAnsweredAndNotExecuted() throws Exception {
        Tap tap = tap(server(options().insecure()));
        ScmpClient client = client(ScmpClient.builder(tap.address()).insecure());
        client.call(COUNT, new byte[0]);
        byte[] captured = tap.requests().get(0);
        for (int i = 0; i < 100; i++) {
            tap.replay(captured);
        }
        assertArrayEquals(new byte[] {2}, client.call(COUNT, new byte[0]), "the hundred copies did not run");
    }

    @Test
    void aLostReplyIsSentAgainAndTheServiceDoesNotRunAgain() throws Exception {
        Tap tap = tap(server(options().insecure()));
        AtomicInteger lost = new AtomicInteger();
        tap.loseAnswers(bytes -> isReply(bytes) && lost.incrementAndGet() <= 3);
        ScmpClient client = client(ScmpClient.builder(tap.address()).insecure());
        assertArrayEquals(new byte[] {1}, client.call(COUNT, new byte[0]));
        assertEquals(1, executions.get());
        assertEquals(4, lost.get());
    }

    @Test
    void onceAcknowledgedACallIsSentAgainWithoutItsArguments() throws Exception {
        Tap tap = tap(server(options().insecure()));
        ScmpClient client = client(ScmpClient.builder(tap.address())
                .insecure()
                .core(RpcClientOptions.builder()
                        .firstRetry(Duration.ofMillis(20))
                        .maxRetry(Duration.ofMillis(50))
                        .build()));
        CompletableFuture<byte[]> call = client.callAsync(WAIT, new byte[5_000], LIMIT);
        await().atMost(LIMIT).until(() -> tap.requests().stream().anyMatch(sent -> sent.length == 52));
        release.countDown();
        assertEquals(5_000, call.get(20, TimeUnit.SECONDS).length);
        assertTrue(tap.requests().get(0).length > 5_000);
        assertEquals(1, executions.get());
    }

    @Test
    void sixtyFiveThousandBytesWorkAndMoreAreRefusedBeforeSending() throws Exception {
        ScmpServer server = server(options().key(KEY));
        ScmpClient client = client(ScmpClient.builder(server.address()).key(KEY));
        byte[] large = new byte[65_000];
        new Random(1).nextBytes(large);
        assertArrayEquals(large, client.call(ECHO, large));
        assertArrayEquals(new byte[65_455], client.call(ECHO, new byte[65_455]));
        long accepted = server.counters().accepted();
        String message = assertThrows(IllegalArgumentException.class, () -> client.call(ECHO, new byte[65_456]))
                .getMessage();
        assertTrue(message.contains("65455"), message);
        assertEquals(accepted, server.counters().accepted(), "nothing was sent");
    }

    @Test
    void anUnprovenClientGetsALargeReplyOnlyForADatagramOfItsSize() throws Exception {
        Tap tap = tap(server(options().insecure()));
        ScmpClient client = client(ScmpClient.builder(tap.address()).insecure().core(unhurried()));
        assertEquals(60_000, client.call(LARGE, new byte[10]).length);
        assertEquals(1, executions.get());
        int request = 0;
        for (byte[] answer : tap.answers()) {
            int largest = tap.requests().stream()
                    .mapToInt(bytes -> bytes.length)
                    .max()
                    .orElseThrow();
            assertTrue(answer.length <= largest, "an answer is larger than every request");
            request++;
        }
        assertTrue(request >= 2, "HELD, then the reply");
        byte[] small = tap.requests().get(0);
        int before = tap.answers().size();
        tap.replay(small);
        await().atMost(LIMIT).until(() -> tap.answers().size() > before);
        assertTrue(tap.answers().get(before).length <= small.length, "spoofed, it would flood a third party");
    }

    @Test
    void withoutTheKeyNothingIsAnsweredOrRemembered() throws Exception {
        ScmpServer server = server(options().key(KEY));
        ScmpClient stranger = client(ScmpClient.builder(server.address()).insecure());
        ScmpClient guesser = client(ScmpClient.builder(server.address()).key(new byte[32]));
        for (ScmpClient client : List.of(stranger, guesser)) {
            ScmpCallException failed = assertThrows(
                    ScmpCallException.class, () -> client.call(COUNT, new byte[0], Duration.ofMillis(300)));
            assertEquals(CallOutcome.Kind.UNKNOWN, failed.kind());
            assertTrue(failed.mayHaveRun());
        }
        assertEquals(0, executions.get());
        assertEquals(0, server.counters().connections());
        assertTrue(server.dropped() >= 2);
        assertArrayEquals(
                new byte[] {1},
                client(ScmpClient.builder(server.address()).key(KEY)).call(COUNT, new byte[0]));
    }

    /** Both forms at one server; the service learns the name, and replies come under the key of their client. */
    @Test
    void aClientWithItsOwnKeyCallsBesideOneWithTheServersKey() throws Exception {
        long till7 = ScmpCredential.clientHigh("till-7");
        ScmpServer server = server(options().key(KEY).service(6, (caller, arguments) ->
                new byte[] {(byte) (caller.clientHigh() == till7 ? 7 : 0)}));
        Tap tap = tap(server);
        ScmpClient own = client(ScmpClient.builder(tap.address()).credential(ScmpCredential.of(KEY, "till-7")));
        assertArrayEquals(new byte[] {7}, own.call(6, new byte[0]));
        assertEquals(2, tap.requests().get(0)[1] >> 4);
        assertEquals(2, tap.answers().get(0)[1] >> 4);
        assertEquals(60_000, own.call(LARGE, new byte[10]).length, "a proven client needs no second round trip");
        own.renew();
        assertArrayEquals(new byte[] {7}, own.call(6, new byte[0]), "under another id of the same name");
        ScmpClient shared = client(ScmpClient.builder(server.address()).key(KEY));
        assertArrayEquals(new byte[] {0}, shared.call(6, new byte[0]));
        assertEquals(0, server.dropped());
    }

    @Test
    void aClientWithTheKeyOfAnotherServerIsNotAnswered() throws Exception {
        ScmpServer server = server(options().key(KEY));
        ScmpClient client =
                client(ScmpClient.builder(server.address()).credential(ScmpCredential.of(new byte[32], "till-7")));
        assertThrows(ScmpCallException.class, () -> client.call(COUNT, new byte[0], Duration.ofMillis(300)));
        assertEquals(0, executions.get());
        assertEquals(0, server.counters().connections());
    }

    @Test
    void serverAndClientSpeakOverIpv6() throws Exception {
        byte[] bytes = new byte[16];
        bytes[15] = 1;
        InetAddress loopback = InetAddress.getByAddress(bytes);
        try (DatagramSocket probe = new DatagramSocket(0, loopback)) {
            assertTrue(probe.isBound());
        } catch (IOException e) {
            abort("this machine has no IPv6: " + e.getMessage());
        }
        ScmpServer server = server(ScmpServerOptions.builder(new InetSocketAddress(loopback, 0))
                .neverExisted()
                .key(KEY)
                .inlineService(ECHO, (caller, arguments) -> arguments));
        assertEquals(loopback, server.address().getAddress());
        ScmpClient client = client(ScmpClient.builder(server.address()).credential(ScmpCredential.of(KEY, "till-7")));
        byte[] largest = new byte[RpcDatagrams.MAX_BODY];
        new Random(2).nextBytes(largest);
        assertArrayEquals(largest, client.call(ECHO, largest));
    }

    @Test
    void monitoringSeesCallsRefusalsDropsAndKeptReplies() throws Exception {
        ScmpServer server = server(options().key(KEY));
        ScmpClient client = client(ScmpClient.builder(server.address()).key(KEY).core(unhurried()));
        client.call(ECHO, new byte[100]);
        assertThrows(ScmpCallException.class, () -> client.call(99, new byte[0]));
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.send(new DatagramPacket(new byte[100], 100, server.address()));
        }
        Observed observed = server.observed();
        await().atMost(LIMIT)
                .until(() -> reading(observed, "amo_scmp_dropped_total{cause=FORGED}") == 1
                        && reading(observed, "amo_scmp_refusals_total{reason=NO_SUCH_SERVICE}") == 1);
        assertEquals(1, reading(observed, "amo_scmp_calls_total{}"));
        assertEquals(1, reading(observed, "amo_scmp_kept_replies{}"));
        assertEquals(100, reading(observed, "amo_scmp_kept_reply_bytes{}"));
        assertEquals(0, reading(observed, "amo_scmp_refusals_total{reason=STALE}"));
        assertTrue(observed.readiness().isReady());
        assertTrue(observed.statusJson().contains("\"amo_scmp_dropped_total.FORGED\":1"), observed.statusJson());
        server.close();
        assertFalse(observed.readiness().isReady());
        assertEquals(1, reading(observed, "amo_scmp_calls_total{}"), "the last numbers stay");
    }

    private static long reading(Observed observed, String name) {
        return observed.readings().stream()
                .filter(each -> (each.name() + each.labels()).equals(name))
                .mapToLong(each -> each.value().longValue())
                .sum();
    }

    @Test
    void malformedDatagramsMakeNoStateAndHarmNobody() throws Exception {
        ScmpServer server = server(options().insecure());
        Random random = new Random(7);
        try (DatagramSocket socket = new DatagramSocket()) {
            for (int i = 0; i < 2_000; i++) {
                byte[] garbage = new byte[random.nextInt(200)];
                random.nextBytes(garbage);
                if (garbage.length > 2 && i % 2 == 0) {
                    garbage[0] = 0x5C;
                    garbage[1] = (byte) (0x10 | random.nextInt(16));
                }
                socket.send(new DatagramPacket(garbage, garbage.length, server.address()));
            }
        }
        assertArrayEquals(
                new byte[] {1},
                client(ScmpClient.builder(server.address()).insecure()).call(COUNT, new byte[0]));
        assertEquals(1, server.counters().connections(), "only the client's own");
        assertTrue(server.dropped() > 1_000);
    }

    @Test
    void aServiceThatThrowsIsExecutedAndSaysWhy() throws Exception {
        ScmpServer server = server(options().insecure());
        ScmpClient client = client(ScmpClient.builder(server.address()).insecure());
        ScmpCallException failed = assertThrows(ScmpCallException.class, () -> client.call(FAIL, new byte[0]));
        assertEquals(CallOutcome.Kind.SERVICE_FAILED, failed.kind());
        assertTrue(failed.getMessage().contains("no money left"), failed.getMessage());
        ScmpCallException missing = assertThrows(ScmpCallException.class, () -> client.call(99, new byte[0]));
        assertEquals(CallOutcome.Kind.NOT_EXECUTED, missing.kind());
        assertFalse(missing.mayHaveRun());
    }

    /** A call that no one answers would keep its place among those that run, until there are no more. */
    @Test
    void aServiceThatReturnsNothingOrMeetsAnyErrorHasFailed() throws Exception {
        byte[][] nothing = new byte[1][];
        ScmpServer server = server(options()
                .insecure()
                .service(6, (caller, arguments) -> nothing[0])
                .service(7, (caller, arguments) -> {
                    throw new IOError(new IOException("no disk left"));
                })
                .inlineService(8, (caller, arguments) -> nothing[0])
                .inlineService(9, (caller, arguments) -> {
                    throw new SpeechlessError();
                }));
        ScmpClient client = client(ScmpClient.builder(server.address()).insecure());
        assertFails("the service returned null", client, 6);
        assertFails("no disk left", client, 7);
        assertFails("the service returned null", client, 8);
        assertFails("SpeechlessError", client, 9);
        assertEquals(0, server.counters().computing());
    }

    private static void assertFails(String why, ScmpClient client, int service) {
        ScmpCallException failed = assertThrows(ScmpCallException.class, () -> client.call(service, new byte[0]));
        assertEquals(CallOutcome.Kind.SERVICE_FAILED, failed.kind());
        assertTrue(failed.getMessage().endsWith(why), failed.getMessage());
    }

    /** Cannot even be printed. */
    private static final class SpeechlessError extends Error {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new IllegalStateException("no words");
        }
    }

    @Test
    void anIdleClientAcknowledgesAndTheReplyIsFreed() throws Exception {
        ScmpServer server = server(options().insecure());
        ScmpClient client = client(ScmpClient.builder(server.address()).insecure());
        client.call(ECHO, new byte[100]);
        assertEquals(1, server.counters().connections());
        await().atMost(LIMIT).until(() -> server.counters().storedReplies() == 0);
        assertEquals(0, server.counters().storedReplyBytes());
        assertEquals(1, server.counters().connections(), "the timestamp stays");
    }

    @Test
    void manyCallsUnderWayEachRunOnce() throws Exception {
        ScmpServer server = server(options().key(KEY));
        ScmpClient client = client(ScmpClient.builder(server.address()).key(KEY));
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            calls.add(client.callAsync(COUNT, new byte[8], LIMIT));
        }
        CompletableFuture.allOf(calls.toArray(new CompletableFuture<?>[0])).get(20, TimeUnit.SECONDS);
        assertEquals(500, executions.get());
        assertEquals(500, server.counters().connections(), "a connection for each call under way");
    }

    @Test
    void aClockTenMinutesAheadIsRefusedDistinctlyAndItsNextCallWorks() throws Exception {
        ScmpServer server = server(options().insecure());
        long ahead = TimeUnit.MINUTES.toMicros(10);
        ScmpClient client = client(
                ScmpClient.builder(server.address()).insecure().wallClock(() -> Clocks.systemWallMicros() + ahead));
        ScmpCallException refused =
                assertThrows(ScmpCallException.class, () -> client.call(COUNT, new byte[0], Duration.ofSeconds(10)));
        assertEquals(CallOutcome.Kind.UNKNOWN, refused.kind());
        assertTrue(refused.getMessage().contains("TOO_EARLY"), refused.getMessage());
        assertEquals(0, executions.get());
        assertArrayEquals(new byte[] {1}, client.call(COUNT, new byte[0]));
    }

    @Test
    void aCallUnderWayEndsWhenTheTransportOfItsClientIsClosed() throws Exception {
        ScmpServer server = server(options().insecure());
        ScmpTransport transport = transport();
        ScmpClient client =
                client(ScmpClient.builder(server.address()).insecure().transport(transport));
        CompletableFuture<byte[]> call = client.callAsync(WAIT, new byte[1], Duration.ofMinutes(10));
        await().atMost(LIMIT).until(() -> executions.get() == 1);
        transport.close();
        assertEndsAs(CallOutcome.Kind.UNKNOWN, call);
        assertEndsAs(CallOutcome.Kind.NOT_EXECUTED, client.callAsync(COUNT, new byte[0], LIMIT));
    }

    @Test
    void everyCallEndsThatComesAsTheClientCloses() throws Exception {
        ScmpServer server = server(options().insecure());
        ExecutorService callers = Executors.newFixedThreadPool(4);
        try {
            for (int round = 0; round < 10; round++) {
                ScmpClient client = client(ScmpClient.builder(server.address()).insecure());
                CountDownLatch begun = new CountDownLatch(4);
                List<Future<Integer>> calling = new ArrayList<>();
                for (int caller = 0; caller < 4; caller++) {
                    calling.add(callers.submit(() -> callUntilOneFails(client, begun)));
                }
                assertTrue(begun.await(20, TimeUnit.SECONDS));
                client.close();
                for (Future<Integer> each : calling) {
                    assertTrue(each.get(30, TimeUnit.SECONDS) >= 1);
                }
            }
        } finally {
            callers.shutdownNow();
        }
    }

    /** One call at a time: callers that do not wait would fill the event loop's queue. */
    private static int callUntilOneFails(ScmpClient client, CountDownLatch begun) throws Exception {
        for (int calls = 1; ; calls++) {
            CompletableFuture<byte[]> call = client.callAsync(ECHO, new byte[8], Duration.ofMinutes(10));
            begun.countDown();
            if (call.handle((reply, failed) -> failed != null).get(20, TimeUnit.SECONDS)) {
                return calls;
            }
        }
    }

    @Test
    void aStageOfACallMayCloseItsClient() throws Exception {
        ScmpServer server = server(options().insecure());
        ScmpClient client = client(ScmpClient.builder(server.address()).insecure());
        CompletableFuture<byte[]> call = client.callAsync(WAIT, new byte[1], LIMIT);
        CompletableFuture<Void> closed = call.thenRun(client::close);
        release.countDown();
        closed.get(20, TimeUnit.SECONDS);
        assertEndsAs(CallOutcome.Kind.NOT_EXECUTED, client.callAsync(COUNT, new byte[0], LIMIT));
    }

    @Test
    void aServerThatIsClosedHasNoCounters() throws Exception {
        ScmpServer server = server(options().insecure());
        server.close();
        assertEquals(
                "the server is closed",
                assertThrows(IllegalStateException.class, server::counters).getMessage());
    }

    @Test
    void aServerThatIsClosedLeavesNoTicksOnTheTransportThatItShares() throws Exception {
        ScmpTransport transport = transport();
        AtomicInteger reads = new AtomicInteger();
        AtomicInteger readsOfOther = new AtomicInteger();
        ScmpServer closed = server(options().insecure().transport(transport).wallClock(() -> counted(reads)));
        server(options().insecure().transport(transport).wallClock(() -> counted(readsOfOther)));
        closed.close();
        int before = reads.get();
        int beforeOfOther = readsOfOther.get();
        await().atMost(LIMIT).until(() -> readsOfOther.get() >= beforeOfOther + 10);
        // One may have been under way.
        assertTrue(reads.get() <= before + 1, reads.get() - before + " ticks");
    }

    private static long counted(AtomicInteger reads) {
        reads.incrementAndGet();
        return Clocks.systemWallMicros();
    }

    private ScmpTransport transport() {
        ScmpTransport transport = ScmpTransport.open("amo-scmp-shared", 1);
        open.add(transport);
        return transport;
    }

    private static void assertEndsAs(CallOutcome.Kind kind, CompletableFuture<byte[]> call) {
        ExecutionException failed = assertThrows(ExecutionException.class, () -> call.get(20, TimeUnit.SECONDS));
        assertEquals(kind, ((ScmpCallException) failed.getCause()).kind());
    }

    @Test
    void mistakesAreNamed() {
        String none = assertThrows(
                        IllegalArgumentException.class, () -> options().start())
                .getMessage();
        assertTrue(none.contains("insecure()"), none);
        String both = assertThrows(
                        IllegalArgumentException.class,
                        () -> options().insecure().key(KEY).start())
                .getMessage();
        assertTrue(both.contains("choose one"), both);
        String weak = assertThrows(
                        IllegalArgumentException.class,
                        () -> options().key(new byte[4]).start())
                .getMessage();
        assertTrue(weak.contains("16"), weak);
        String twice = assertThrows(
                        IllegalArgumentException.class, () -> options().service(ECHO, (caller, arguments) -> arguments))
                .getMessage();
        assertTrue(twice.contains("twice"), twice);
    }
}
