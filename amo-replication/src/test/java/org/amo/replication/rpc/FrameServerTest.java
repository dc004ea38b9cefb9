package org.amo.replication.rpc;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.util.concurrent.AbstractScheduledEventExecutor;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.amo.base.CallPath;
import org.amo.base.ClientId;
import org.amo.core.client.Attempt;
import org.amo.core.request.Answer;
import org.amo.core.request.Principal;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Timeout(30)
@Execution(ExecutionMode.CONCURRENT)
final class FrameServerTest {
    private static final ClientId CLIENT = new ClientId(1, 2);
    private static final int COPIES = 30_000;

    private final HeldService service = new HeldService();
    private final FrameServer server =
            FrameServer.open(FrameServerOptions.builder("group", "a", body -> 1).build(), service);
    private final RpcTransport transport = RpcTransport.open("test-client");
    private final AtomicInteger answers = new AtomicInteger();
    private final ConcurrentLinkedQueue<Answer.Kind> kinds = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<String> leaders = new ConcurrentLinkedQueue<>();
    private final CompletableFuture<Void> draining = new CompletableFuture<>();
    private final CompletableFuture<RpcRefusal> ended = new CompletableFuture<>();

    @AfterEach
    void close() {
        server.close();
        transport.close();
    }

    @Test
    void aClientWithTooMuchUnderWayIsNotReadFromUntilItIsAnswered() throws Exception {
        RpcConnection connection = connect();
        transport.loop().execute(() -> {
            for (int copy = 1; copy <= COPIES; copy++) {
                connection.send(CLIENT, copy(copy));
            }
            connection.flush();
        });
        await().until(() -> service.arrived.get() >= ServerConnection.MOST_REQUESTS);
        // What one read brought beside it may come on top, no more.
        int most = ServerConnection.MOST_REQUESTS + 4_000;
        await().during(Duration.ofMillis(200)).until(() -> service.arrived.get() < most);
        while (answers.get() < COPIES) {
            service.answerAll();
        }
        assertEquals(COPIES, service.arrived.get());
    }

    @Test
    void aClientWithoutACertificateIsKnownByItsAddress() throws Exception {
        RpcConnection connection = connect();
        transport.loop().execute(() -> {
            connection.send(CLIENT, copy(1));
            connection.flush();
        });
        await().until(() -> service.arrived.get() == 1);
        assertEquals(List.of(Principal.address(new byte[] {127, 0, 0, 1})), List.copyOf(service.senders));
        service.answerAll();
    }

    @Test
    void thePathOfANestedCallComesWithItsRequestAndWithNoOther() throws Exception {
        CallPath path = new CallPath(List.of("bank", "audit"));
        try (FrameServer answering = FrameServer.open(
                FrameServerOptions.builder("group", "a", body -> 1).build(), service, Optional.of(service))) {
            RpcConnection connection = connect(answering);
            transport.loop().execute(() -> {
                connection.send(CLIENT, copy(1));
                connection.send(CLIENT, copy(2), path);
                connection.send(CLIENT, copy(3), CallPath.NONE);
                connection.flush();
            });
            await().until(() -> service.arrived.get() == 3);
            assertEquals(List.of(CallPath.NONE, path, CallPath.NONE), List.copyOf(service.paths));
            assertEquals(List.of(), service.questions, "the service is not asked");
            service.answerAll();
            await().until(() -> answers.get() == 3);
        }
    }

    @Test
    void aMemberThatDrainsAnswersWhatIsOutAndTakesNobodyElse() throws Exception {
        RpcConnection connection = connect();
        transport.loop().execute(() -> {
            connection.send(CLIENT, copy(1));
            connection.flush();
        });
        await().until(() -> service.arrived.get() == 1);
        CompletableFuture<Boolean> drained = CompletableFuture.supplyAsync(() -> server.drain(10_000));
        draining.get(10, TimeUnit.SECONDS);
        assertFalse(drained.isDone());
        service.answerAll();
        assertTrue(drained.get(10, TimeUnit.SECONDS));
        await().until(() -> answers.get() == 1);
    }

    @Test
    void aQuestionIsAnsweredByTheMemberAloneAndByNobodyWhenTheConnectionEnds() throws Exception {
        try (FrameServer answering = FrameServer.open(
                FrameServerOptions.builder("group", "a", body -> 1).build(), service, Optional.of(service))) {
            RpcConnection connection = connect(answering);
            assertEquals(
                    Optional.empty(), ask(connection, HeldService.NO_QUESTION).get(10, TimeUnit.SECONDS));
            CompletableFuture<Optional<byte[]>> first = ask(connection, 1);
            CompletableFuture<Optional<byte[]>> second = ask(connection, 2);
            await().until(() -> service.questions.size() == 2);
            service.questions.get(1).accept(Optional.of(new byte[] {22}));
            assertEquals(22, second.get(10, TimeUnit.SECONDS).orElseThrow()[0]);
            assertFalse(first.isDone());
            assertEquals(0, service.arrived.get(), "the group hears nothing of it");
        }
        assertTrue(ended.get(10, TimeUnit.SECONDS).why().contains("closed"));
    }

    /** The room of a question that is lost would be lost for all clients, and the connection with the calls on it. */
    @Test
    void aQuestionAtWhichTheServiceFailsTakesNoRoomAndEndsNoConnection() throws Exception {
        try (FrameServer answering = FrameServer.open(
                FrameServerOptions.builder("group", "a", body -> 1).build(), service, Optional.of(service))) {
            RpcConnection connection = connect(answering);
            byte[] answer =
                    ask(connection, HeldService.FAILS).get(10, TimeUnit.SECONDS).orElseThrow();
            assertEquals(HeldService.FAILS, answer[0]);
            CompletableFuture<Optional<byte[]>> next = ask(connection, 1);
            await().until(() -> service.questions.size() == 1);
            service.questions.get(0).accept(Optional.empty());
            assertEquals(Optional.empty(), next.get(10, TimeUnit.SECONDS));
            assertTrue(answering.drain(10_000), "nothing is under way");
        }
    }

    @Test
    void aConnectionEndsWithItsTransportHoweverBusyThatIs() throws Exception {
        for (int i = 0; i < 20; i++) {
            CompletableFuture<RpcRefusal> over = new CompletableFuture<>();
            try (RpcTransport busy = RpcTransport.open("test-busy")) {
                CompletableFuture<Void> there = new CompletableFuture<>();
                RpcPeer peer = new RpcPeer("127.0.0.1", server.port(), "group", Optional.empty());
                RpcConnection.open(busy, peer, new Listener(there, over));
                there.get(10, TimeUnit.SECONDS);
                // The thread is in the middle of a task when it is told to end.
                CompletableFuture<Void> inside = new CompletableFuture<>();
                busy.loop().execute(() -> {
                    inside.complete(null);
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
                });
                inside.get(10, TimeUnit.SECONDS);
            }
            over.get(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void whatWasAskedHasNoAnswerWhenTheConnectionEndsOrTheMemberHasNone() throws Exception {
        assertEquals(Optional.empty(), ask(connect(), 1).get(10, TimeUnit.SECONDS), "this one answers no questions");
        FrameServer answering = FrameServer.open(
                FrameServerOptions.builder("group", "a", body -> 1).build(), service, Optional.of(service));
        RpcConnection connection = connect(answering);
        CompletableFuture<Optional<byte[]>> asked = ask(connection, 1);
        await().until(() -> service.questions.size() == 1);
        answering.close();
        assertEquals(Optional.empty(), asked.get(10, TimeUnit.SECONDS));
        assertEquals(Optional.empty(), ask(connection, 2).get(10, TimeUnit.SECONDS), "it is closed");
    }

    private CompletableFuture<Optional<byte[]>> ask(RpcConnection connection, int question) {
        CompletableFuture<Optional<byte[]>> answer = new CompletableFuture<>();
        transport.loop().execute(() -> {
            connection.ask(new byte[] {(byte) question}, answer::complete);
            connection.flush();
        });
        return answer;
    }

    /** The frames of one flush leave together: those behind one that cannot be written would wait with it. */
    @Test
    void anAnswerThatCannotBeWrittenEndsTheConnection() throws Exception {
        try (FrameServer answering = FrameServer.open(
                FrameServerOptions.builder("group", "a", body -> 1).build(), service, Optional.of(service))) {
            RpcConnection connection = connect(answering);
            CompletableFuture<Optional<byte[]>> first = ask(connection, 1);
            CompletableFuture<Optional<byte[]>> second = ask(connection, 2);
            await().until(() -> service.questions.size() == 2);
            service.questions.get(0).accept(Optional.of(new byte[RpcQuestions.MAX_BYTES + 1]));
            assertEquals(Optional.empty(), first.get(10, TimeUnit.SECONDS));
            assertEquals(Optional.empty(), second.get(10, TimeUnit.SECONDS));
            ended.get(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void aNewLeaderIsToldThoughTheServiceOnceFailedToTellIt() throws Exception {
        connect();
        await().until(() -> leaders.contains("a"));
        service.statusFails = true;
        await().until(() -> service.statusFailures.get() > 0);
        service.leader = "b";
        service.statusFails = false;
        await().until(() -> leaders.contains("b"));
    }

    @Test
    void aConnectionThatCannotWriteAFrameEnds() throws Exception {
        RpcConnection connection = connect();
        Channel channel = channel(connection);
        transport
                .loop()
                .submit(() -> channel.config().setAllocator(new NoMemory()))
                .get(10, TimeUnit.SECONDS);
        send(connection, copy(1));
        assertEquals(
                "127.0.0.1:" + server.port() + ": a frame could not be written: java.lang.OutOfMemoryError: planted",
                ended.get(10, TimeUnit.SECONDS).why());
    }

    private static Channel channel(RpcConnection connection) throws Exception {
        Field frames = RpcConnection.class.getDeclaredField("frames");
        frames.setAccessible(true);
        Field channel = FrameChannel.class.getDeclaredField("channel");
        channel.setAccessible(true);
        return (Channel) channel.get(((Optional<?>) frames.get(connection)).orElseThrow());
    }

    private static final class NoMemory extends AbstractByteBufAllocator {
        @Override
        protected ByteBuf newHeapBuffer(int first, int most) {
            throw new OutOfMemoryError("planted");
        }

        @Override
        protected ByteBuf newDirectBuffer(int first, int most) {
            throw new OutOfMemoryError("planted");
        }

        @Override
        public boolean isDirectBufferPooled() {
            return false;
        }
    }

    @Test
    void aSilentNameServiceHoldsUpNoOtherConnection() throws Exception {
        SilentNames names = new SilentNames();
        try (RpcTransport over = RpcTransport.open("test-names", names)) {
            CompletableFuture<Void> connected = new CompletableFuture<>();
            RpcConnection connection = RpcConnection.open(
                    over,
                    new RpcPeer("127.0.0.1", server.port(), "group", Optional.empty()),
                    new Listener(connected, ended));
            connected.get(10, TimeUnit.SECONDS);
            CompletableFuture<RpcRefusal> first = new CompletableFuture<>();
            CompletableFuture<RpcRefusal> second = new CompletableFuture<>();
            CompletableFuture<Void> unused = open(over, "silent.invalid", first);
            names.asked.get(10, TimeUnit.SECONDS);
            over.loop().execute(() -> {
                connection.send(CLIENT, copy(1));
                connection.flush();
            });
            await().until(() -> service.arrived.get() == 1);
            service.answerAll();
            await().until(() -> answers.get() == 1);
            assertFalse(names.known.isDone(), "the name service has answered");

            String why = first.get(10, TimeUnit.SECONDS).why();
            assertEquals(
                    "silent.invalid:" + server.port()
                            + ": silent.invalid: the name service did not answer within 1000 ms",
                    why);
            // The next attempt waits for the same lookup.
            CompletableFuture<Void> there = open(over, "silent.invalid", second);
            over.loop().submit(() -> {}).get(10, TimeUnit.SECONDS);
            names.known.complete(InetAddress.getLoopbackAddress());
            there.get(10, TimeUnit.SECONDS);
            assertEquals(1, names.lookups.get());
            assertFalse(second.isDone());
        }
    }

    @Test
    void aConnectionThatIsClosedDuringItsLookupIsNotOpened() throws Exception {
        SilentNames names = new SilentNames();
        try (RpcTransport over = RpcTransport.open("test-names", names)) {
            CompletableFuture<Void> there = new CompletableFuture<>();
            RpcConnection connection = RpcConnection.open(
                    over,
                    new RpcPeer("silent.invalid", server.port(), "group", Optional.empty()),
                    new Listener(there, ended));
            names.asked.get(10, TimeUnit.SECONDS);
            over.loop().submit(connection::close).get(10, TimeUnit.SECONDS);
            names.known.complete(InetAddress.getLoopbackAddress());
            ended.get(10, TimeUnit.SECONDS);
            assertFalse(there.isDone());
            await().until(() -> timers(over.loop()) == 0);
        }
        await().until(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(each -> each.getName().equals("amo-lookup-silent.invalid")));
    }

    @Test
    void aHostWithoutAnAddressIsAConnectionThatFailed() throws Exception {
        try (RpcTransport over = RpcTransport.open("test-names", host -> {
            throw new UnknownHostException(host + ": Name or service not known");
        })) {
            CompletableFuture<Void> unused = open(over, "absent.invalid", ended);
            RpcRefusal why = ended.get(10, TimeUnit.SECONDS);
            assertEquals("absent.invalid:" + server.port() + ": absent.invalid: Name or service not known", why.why());
            assertFalse(why.lasting());
        }
    }

    private static final class SilentNames implements HostLookups.Names {
        final AtomicInteger lookups = new AtomicInteger();
        final CompletableFuture<Void> asked = new CompletableFuture<>();
        final CompletableFuture<InetAddress> known = new CompletableFuture<>();

        @Override
        public InetAddress find(String host) throws UnknownHostException {
            if (!host.equals("silent.invalid")) {
                return InetAddress.getByName(host);
            }
            lookups.incrementAndGet();
            asked.complete(null);
            return known.join();
        }
    }

    private CompletableFuture<Void> open(RpcTransport over, String host, CompletableFuture<RpcRefusal> refused) {
        CompletableFuture<Void> there = new CompletableFuture<>();
        RpcConnection.open(
                over, new RpcPeer(host, server.port(), "group", Optional.empty()), new Listener(there, refused));
        return there;
    }

    @Test
    void somebodyWhoSpeaksAnotherProtocolIsToldSoAndLetGo() throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            InputStream in = socket.getInputStream();
            String told = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
            assertTrue(told.contains("this is not amo's protocol for Java clients"), told);
        }
    }

    @Test
    void theOldestConnectionThatDidNotGreetGivesWayWhenThereAreTooMany() throws Exception {
        try (FrameServer narrow = narrow(connections(6))) {
            RpcConnection greeted = connect(narrow);
            InetAddress host = InetAddress.getLoopbackAddress();
            try (Socket first = new Socket(host, narrow.port());
                    Socket second = new Socket(host, narrow.port());
                    Socket third = new Socket(host, narrow.port())) {
                first.setSoTimeout(9_000);
                // A client takes any byte but those of a greeting for another protocol, and does not try again.
                assertEquals(0, first.getInputStream().readAllBytes().length);
                transport.loop().execute(() -> {
                    greeted.send(CLIENT, copy(1));
                    greeted.flush();
                });
                await().until(() -> service.arrived.get() == 1);
                assertFalse(second.isClosed() || third.isClosed());
            }
        }
    }

    @Test
    void clientsOfOneAddressLeaveRoomForOthers() throws Exception {
        try (FrameServer narrow = narrow(connections(4))) {
            connect(narrow);
            connect(narrow);
            InetAddress host = InetAddress.getLoopbackAddress();
            try (Socket third = new Socket(host, narrow.port());
                    Socket other =
                            new Socket(host, narrow.port(), InetAddress.getByAddress(new byte[] {127, 0, 0, 2}), 0)) {
                third.setSoTimeout(9_000);
                assertEquals(-1, third.getInputStream().read());
                other.setSoTimeout(9_000);
                other.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                assertTrue(other.getInputStream().readAllBytes().length > 0, "it is not answered");
            }
        }
    }

    @Test
    void connectionsThatAreOverLeaveNoTimerBehind() throws Exception {
        try (FrameServer answering = FrameServer.open(
                FrameServerOptions.builder("group", "a", body -> 1).build(), service, Optional.of(service))) {
            InetAddress host = InetAddress.getLoopbackAddress();
            for (int i = 0; i < 200; i++) {
                try (Socket socket = new Socket(host, answering.port())) {
                    socket.setSoLinger(true, 0);
                }
            }
            connect(answering);
            // One looks after all connections.
            await().atMost(Duration.ofSeconds(5))
                    .until(() -> timers(service.owner.orElseThrow()) <= 1 && timers(transport.loop()) == 0);
        }
    }

    /** Netty shows the number of its timers to itself alone. */
    private static int timers(ScheduledExecutorService loop) throws Exception {
        Field timers = AbstractScheduledEventExecutor.class.getDeclaredField("scheduledTaskQueue");
        timers.setAccessible(true);
        return loop.submit(() -> timers.get(loop) instanceof Queue<?> queue ? queue.size() : 0)
                .get(10, TimeUnit.SECONDS);
    }

    @Test
    void aConnectionThatDoesNotGreetIsLetGo() throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.setSoTimeout(20_000);
            assertEquals(-1, socket.getInputStream().read());
        }
    }

    @Test
    void requestsThatTheServiceFailsToTakeAreUnknownAndTakeNoRoom() throws Exception {
        RpcLimits limits =
                new RpcLimits(3, 50_000, 100_000, Duration.ofSeconds(60), 1, 100_000, Duration.ofSeconds(60));
        try (FrameServer narrow = narrow(limits)) {
            RpcConnection connection = connect(narrow);
            service.fails = true;
            for (int copy = 1; copy <= 400; copy += 2) {
                send(connection, copy(copy), copy(copy + 1));
                int all = copy + 1;
                await().pollDelay(Duration.ZERO)
                        .pollInterval(Duration.ofMillis(1))
                        .until(() -> answers.get() == all);
            }
            assertEquals(Set.of(Answer.Kind.UNKNOWN), Set.copyOf(kinds));
            service.fails = false;
            int failed = service.arrived.get();
            send(connection, copy(401));
            await().until(() -> service.arrived.get() == failed + 1);
            // Those that it had taken before it failed, too.
            service.answerAll();
            await().until(() -> kinds.contains(Answer.Kind.REPLY));
            assertTrue(narrow.drain(10_000));
            await().until(() -> answers.get() == 401);
        }
    }

    /** In all; half of them from one address. */
    private static RpcLimits connections(int most) {
        return new RpcLimits(most, 2_000, 4_000, Duration.ofSeconds(60), 1, 4_000, Duration.ofSeconds(60));
    }

    private FrameServer narrow(RpcLimits limits) {
        return FrameServer.open(
                FrameServerOptions.builder("group", "a", body -> 1)
                        .limits(limits)
                        .build(),
                service);
    }

    private void send(RpcConnection connection, Attempt... copies) {
        transport.loop().execute(() -> {
            for (Attempt each : copies) {
                connection.send(CLIENT, each);
            }
            connection.flush();
        });
    }

    private RpcConnection connect() throws Exception {
        return connect(server);
    }

    private RpcConnection connect(FrameServer to) throws Exception {
        CompletableFuture<Void> there = new CompletableFuture<>();
        RpcConnection connection = RpcConnection.open(
                transport, new RpcPeer("127.0.0.1", to.port(), "group", Optional.empty()), new Listener(there, ended));
        there.get(10, TimeUnit.SECONDS);
        return connection;
    }

    private static Attempt copy(long copy) {
        return new Attempt(copy, RequestId.own(CLIENT, copy), 1, 2, false, FinishedNumbers.NONE, new byte[16]);
    }

    private final class Listener implements RpcConnection.Listener {
        private final CompletableFuture<Void> connected;
        private final CompletableFuture<RpcRefusal> ended;

        Listener(CompletableFuture<Void> connected, CompletableFuture<RpcRefusal> ended) {
            this.connected = connected;
            this.ended = ended;
        }

        @Override
        public void onConnected(long upperMillis) {
            connected.complete(null);
        }

        @Override
        public void onAnswer(long copy, Answer answer) {
            kinds.add(answer.kind());
            answers.incrementAndGet();
        }

        @Override
        public void onLeader(String member) {
            leaders.add(member);
        }

        @Override
        public void onDraining() {
            draining.complete(null);
        }

        @Override
        public void onDisconnected(RpcRefusal why) {
            ended.complete(why);
        }
    }
}
