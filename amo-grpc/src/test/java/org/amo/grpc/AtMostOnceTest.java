package org.amo.grpc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.Context;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerInterceptors;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.amo.base.ClientId;
import org.amo.core.sack.FinishedNumbers;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Both interceptors around a service that knows nothing of them, in one process. */
@Timeout(60)
final class AtMostOnceTest {
    @TempDir
    private Path folder;

    private final CounterService service = new CounterService();
    private final List<AutoCloseable> open = new ArrayList<>();
    private final AtomicInteger losses = new AtomicInteger();
    private final List<Metadata> seen = new ArrayList<>();
    private String name = "";
    private AtMostOnceServer once;
    private AtMostOnceClient client;
    private ManagedChannel channel;
    private Server server;

    @BeforeEach
    void start() throws IOException {
        begin(AtMostOnceServer.Options.builder().build());
    }

    private void begin(AtMostOnceServer.Options options) throws IOException {
        name = InProcessServerBuilder.generateName();
        once = AtMostOnceServer.open(folder.resolve(name), options);
        server = InProcessServerBuilder.forName(name)
                .addService(service.definition())
                .intercept(once)
                .build()
                .start();
        client = AtMostOnceClient.create();
        channel = InProcessChannelBuilder.forName(name).build();
        open.add(client);
        open.add(channel::shutdownNow);
        open.add(server::shutdownNow);
        open.add(once);
    }

    @AfterEach
    void end() throws Exception {
        service.release();
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    /** The channel behind amo's interceptor, and behind one that loses answers. */
    private Channel channel() {
        return ClientInterceptors.intercept(ClientInterceptors.intercept(channel, new LosingNetwork()), client);
    }

    private int attempts() {
        synchronized (seen) {
            return seen.size();
        }
    }

    private static CallOptions within(int seconds) {
        return CallOptions.DEFAULT.withDeadlineAfter(seconds, TimeUnit.SECONDS);
    }

    private String add(String request) {
        return ClientCalls.blockingUnaryCall(channel(), Bytes.ADD, within(10), request);
    }

    @Test
    void aCallRunsOnceAndItsRetryGetsTheReply() {
        assertEquals("a 1", add("a"));
        losses.set(3);
        assertEquals("b 2", add("b"));
        assertEquals(0, losses.get());
        assertEquals(2, service.runs());
    }

    @Test
    void aFailureIsAReplyWithItsTrailers() {
        losses.set(1);
        StatusRuntimeException failure = assertThrows(StatusRuntimeException.class, () -> add("fail x"));
        assertEquals(Status.Code.NOT_FOUND, failure.getStatus().getCode());
        assertEquals("fail x", failure.getStatus().getDescription());
        assertEquals("run 1", failure.getTrailers().get(CounterService.TEXT));
        assertArrayEquals(new byte[] {0, 1}, failure.getTrailers().get(CounterService.BINARY));
        assertEquals("REPLAYED", failure.getTrailers().get(AttemptOutcome.OUTCOME));
        assertTrue(AtMostOnceClient.mayHaveRun(failure));
        assertEquals(1, service.runs());
    }

    @Test
    void anExceptionOfTheHandlerIsAReply() {
        losses.set(1);
        StatusRuntimeException failure = assertThrows(StatusRuntimeException.class, () -> add("throw x"));
        assertEquals(Status.Code.UNKNOWN, failure.getStatus().getCode());
        assertEquals("REPLAYED", failure.getTrailers().get(AttemptOutcome.OUTCOME));
        assertEquals(1, service.runs());
    }

    @Test
    void aReplyThatAnInterceptorCannotReadEndsTheCall() throws Exception {
        ClientCall<String, String> call = channel().newCall(Bytes.ADD, within(10));
        CompletableFuture<Status> end = new CompletableFuture<>();
        call.start(
                new ClientCall.Listener<String>() {
                    @Override
                    public void onMessage(String message) {
                        throw new IllegalStateException("no reader for " + message);
                    }

                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        end.complete(status);
                    }
                },
                new Metadata());
        call.request(1);
        call.sendMessage("x");
        call.halfClose();
        Status status = end.get(20, TimeUnit.SECONDS);
        assertEquals(Status.Code.CANCELLED, status.getCode());
        assertEquals("java.lang.IllegalStateException: no reader for x 1", String.valueOf(status.getCause()));
    }

    @Test
    void aDuplicateWaitsForTheRunningHandler() throws Exception {
        AtMostOnceClient impatient = AtMostOnceClient.builder()
                .attemptTimeout(Duration.ofMillis(100))
                .build();
        open.add(impatient);
        Channel through =
                ClientInterceptors.intercept(ClientInterceptors.intercept(channel, new LosingNetwork()), impatient);
        Future<String> reply = ClientCalls.futureUnaryCall(through.newCall(Bytes.ADD, within(20)), "hold");
        Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> attempts() >= 4);
        assertEquals(1, service.runsOf("hold"));
        service.release();
        assertEquals("hold 1", reply.get(10, TimeUnit.SECONDS));
        assertEquals(1, service.runsOf("hold"));
    }

    /** One at the stub and one at the channel, by mistake. */
    @Test
    void theFirstOfTwoInterceptorsNumbersTheCall() throws Exception {
        AtMostOnceClient impatient = AtMostOnceClient.builder()
                .attemptTimeout(Duration.ofMillis(100))
                .build();
        open.add(impatient);
        Channel through = ClientInterceptors.intercept(channel(), impatient);
        Future<String> reply = ClientCalls.futureUnaryCall(through.newCall(Bytes.ADD, within(20)), "hold");
        Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> attempts() >= 4);
        service.release();
        assertEquals("hold 1", reply.get(10, TimeUnit.SECONDS));
        assertEquals(1, service.runsOf("hold"));
    }

    @Test
    void theMetadataOfAServedCallIsNotSentOn() {
        Metadata served = new Metadata();
        new CallMetadata(new ClientId(1, 2), 7, 1, 2, FinishedNumbers.of(6), Optional.of("another")).putInto(served);
        served.put(CallMetadata.HELLO, "1");
        Channel copying = ClientInterceptors.intercept(channel(), MetadataUtils.newAttachHeadersInterceptor(served));
        assertEquals("a 1", ClientCalls.blockingUnaryCall(copying, Bytes.ADD, within(10), "a"));
        assertFalse(seen.get(1).containsKey(CallMetadata.FINISHED));
    }

    @Test
    void acknowledgementsKeepTheRepliesFew() {
        for (int i = 0; i < 300; i++) {
            add("x" + i);
            assertTrue(once.engine().entries() <= 1, "entries: " + once.engine().entries());
        }
        assertEquals(300, service.runs());
        assertTrue(once.engine().replyBytes() < 100, "bytes: " + once.engine().replyBytes());
    }

    @Test
    void allAttemptsOfACallCarryTheSameNumberTimestampAndDeadline() {
        losses.set(2);
        add("x");
        List<Metadata> attempts = seen.subList(1, 4);
        for (Metadata each : attempts) {
            assertEquals("1", each.get(CallMetadata.NUMBER));
            assertEquals(attempts.get(0).get(CallMetadata.TIMESTAMP), each.get(CallMetadata.TIMESTAMP));
            assertEquals(attempts.get(0).get(CallMetadata.DEADLINE), each.get(CallMetadata.DEADLINE));
            assertEquals(once.engine().server(), each.get(CallMetadata.SERVER));
        }
        add("y");
        assertEquals("1", seen.get(4).get(CallMetadata.FINISHED));
    }

    @Test
    void aCallThatHasNoAnswerInItsTimeMayHaveRun() {
        add("first");
        losses.set(Integer.MAX_VALUE);
        StatusRuntimeException failure = assertThrows(
                StatusRuntimeException.class,
                () -> ClientCalls.blockingUnaryCall(
                        channel(), Bytes.ADD, CallOptions.DEFAULT.withDeadlineAfter(500, TimeUnit.MILLISECONDS), "x"));
        assertTrue(AtMostOnceClient.mayHaveRun(failure), failure.toString());
        assertEquals(1, service.runsOf("x"));
    }

    @Test
    void aCallThatNeverLeftHasNotRun() {
        ManagedChannel nowhere =
                InProcessChannelBuilder.forName("nowhere-" + name).build();
        open.add(0, nowhere::shutdownNow);
        StatusRuntimeException failure = assertThrows(
                StatusRuntimeException.class,
                () -> ClientCalls.blockingUnaryCall(
                        ClientInterceptors.intercept(nowhere, client),
                        Bytes.ADD,
                        CallOptions.DEFAULT.withDeadlineAfter(300, TimeUnit.MILLISECONDS),
                        "x"));
        assertFalse(AtMostOnceClient.mayHaveRun(failure), failure.toString());
    }

    @Test
    void aCallForWhichNoStreamWasMadeHasNotRun() throws Exception {
        add("first");
        server.shutdownNow();
        server.awaitTermination();
        StatusRuntimeException failure = assertThrows(
                StatusRuntimeException.class,
                () -> ClientCalls.blockingUnaryCall(
                        channel(), Bytes.ADD, CallOptions.DEFAULT.withDeadlineAfter(300, TimeUnit.MILLISECONDS), "x"));
        assertFalse(AtMostOnceClient.mayHaveRun(failure), failure.toString());
        assertEquals(0, service.runsOf("x"));
    }

    /** The client has told its application that the attempt did not leave. */
    @Test
    void anAttemptThatLeavesTooLateRunsNowhere() {
        ClientAttempt<String> late = new ClientAttempt<>(false, ended -> {});
        assertFalse(late.hasLeft());
        Metadata headers = new Metadata();
        headers.put(CallMetadata.SERVER, once.engine().server());
        late.leave(headers);
        assertEquals("none", headers.get(CallMetadata.SERVER));
        assertFalse(late.hasLeft());
        ClientAttempt<String> inTime = new ClientAttempt<>(false, ended -> {});
        inTime.leave(new Metadata());
        assertTrue(inTime.hasLeft());
    }

    @Test
    void aServerWithoutTheInterceptorIsFoundOutBeforeItRunsAnything() throws IOException {
        StatusRuntimeException failure = refusedWithoutTheInterceptor();
        assertFalse(AtMostOnceClient.mayHaveRun(failure), failure.toString());
        assertEquals(0, service.runs());
    }

    @Test
    void anAttemptForAnotherServerDoesNotRunHere() throws Exception {
        add("first");
        String before = name;
        begin(AtMostOnceServer.Options.defaults());
        AtMostOnceClient ofBefore = (AtMostOnceClient) open.get(0);
        // The channel of the first server's client leads to the second one now, as a load balancer's might.
        Channel moved =
                ClientInterceptors.intercept(ClientInterceptors.intercept(channel, new LosingNetwork()), ofBefore);
        int attempts = attempts();
        StatusRuntimeException failure = assertThrows(
                StatusRuntimeException.class, () -> ClientCalls.blockingUnaryCall(moved, Bytes.ADD, within(10), "x"));
        assertTrue(AtMostOnceClient.mayHaveRun(failure), failure.toString());
        assertEquals(attempts + 1, attempts()); // another one would not fare better
        assertEquals(0, service.runsOf("x"));
        assertFalse(before.equals(name));
        assertEquals("y 2", ClientCalls.blockingUnaryCall(moved, Bytes.ADD, within(10), "y"));
    }

    @Test
    void aReplyOfAServerWithoutTheInterceptorIsNotHandedOver() throws IOException {
        add("first");
        StatusRuntimeException failure = refusedWithoutTheInterceptor();
        assertTrue(AtMostOnceClient.mayHaveRun(failure), failure.toString());
    }

    /** A call of the client that meets the service alone. */
    private StatusRuntimeException refusedWithoutTheInterceptor() throws IOException {
        String plain = InProcessServerBuilder.generateName();
        Server without = InProcessServerBuilder.forName(plain)
                .addService(service.definition())
                .build()
                .start();
        ManagedChannel to = InProcessChannelBuilder.forName(plain).build();
        open.add(0, without::shutdownNow);
        open.add(0, to::shutdownNow);
        StatusRuntimeException failure = assertThrows(
                StatusRuntimeException.class,
                () -> ClientCalls.blockingUnaryCall(
                        ClientInterceptors.intercept(to, client), Bytes.ADD, within(10), "x"));
        assertEquals(Status.Code.FAILED_PRECONDITION, failure.getStatus().getCode());
        return failure;
    }

    /** gRPC or a proxy may deliver the refused attempt again, and that one may run. */
    @Test
    void aRefusalForRoomDoesNotProveThatTheCallWillNotRun() throws IOException {
        begin(AtMostOnceServer.Options.builder().replyBytes(1).forced(false).build());
        add("a reply that uses up the room");
        AtMostOnceClient other = AtMostOnceClient.create();
        open.add(other);
        StatusRuntimeException failure = assertThrows(
                StatusRuntimeException.class,
                () -> ClientCalls.blockingUnaryCall(
                        ClientInterceptors.intercept(channel, other),
                        Bytes.ADD,
                        CallOptions.DEFAULT.withDeadlineAfter(500, TimeUnit.MILLISECONDS),
                        "x"));
        assertEquals(Status.Code.RESOURCE_EXHAUSTED, failure.getStatus().getCode());
        assertTrue(AtMostOnceClient.mayHaveRun(failure), failure.toString());
        assertEquals(0, service.runsOf("x"));
    }

    @Test
    void callsWithoutTheMetadataAndStreamsPassAsTheyAre() {
        assertEquals("a 1", ClientCalls.blockingUnaryCall(channel, Bytes.ADD, within(10), "a"));
        assertEquals("a 2", ClientCalls.blockingUnaryCall(channel, Bytes.ADD, within(10), "a"));
        List<String> replies = new ArrayList<>();
        ClientCalls.blockingServerStreamingCall(channel(), Bytes.STREAM, within(10), "s")
                .forEachRemaining(replies::add);
        assertEquals(List.of("s1", "s2"), replies);
        assertEquals(0, once.engine().entries());
    }

    @Test
    void aStreamWithTheMetadataIsRefusedSinceItWouldRunAgain() {
        Metadata headers = new Metadata();
        headers.put(CallMetadata.CLIENT, "0".repeat(32));
        StatusRuntimeException failure =
                assertThrows(StatusRuntimeException.class, () -> ClientCalls.blockingServerStreamingCall(
                                ClientInterceptors.intercept(channel, adding(headers)), Bytes.STREAM, within(10), "s")
                        .next());
        assertEquals(Status.Code.UNIMPLEMENTED, failure.getStatus().getCode());
        assertFalse(AtMostOnceClient.mayHaveRun(failure), failure.toString());
    }

    /** As in a proxy that passes bytes on: a message is an InputStream, which can be read once. */
    @Test
    void messagesThatAreStreamsAreSentAndHandledWhole() throws Exception {
        String proxy = InProcessServerBuilder.generateName();
        Server streams = InProcessServerBuilder.forName(proxy)
                .addService(ServerInterceptors.intercept(
                        ServerInterceptors.useInputStreamMessages(service.definition()), once))
                .build()
                .start();
        channel = InProcessChannelBuilder.forName(proxy).build();
        open.add(0, streams::shutdownNow);
        open.add(0, channel::shutdownNow);
        losses.set(1);
        assertEquals("a 1", stream("a"));
        assertEquals(0, losses.get());
        assertEquals("b 2", stream("b"));
    }

    private String stream(String request) {
        return new Bytes()
                .parse(ClientCalls.blockingUnaryCall(
                        channel(), Bytes.ADD_STREAM, within(10), new Bytes().stream(request)));
    }

    @Test
    void aServerMayRequireTheMetadata() throws IOException {
        begin(AtMostOnceServer.Options.builder().required(true).forced(false).build());
        StatusRuntimeException failure = assertThrows(
                StatusRuntimeException.class, () -> ClientCalls.blockingUnaryCall(channel, Bytes.ADD, within(10), "a"));
        assertEquals(Status.Code.FAILED_PRECONDITION, failure.getStatus().getCode());
        assertFalse(AtMostOnceClient.mayHaveRun(failure));
        assertEquals("b 1", add("b"));
    }

    @Test
    void malformedMetadataIsRefused() {
        Metadata headers = new Metadata();
        headers.put(CallMetadata.CLIENT, "x");
        StatusRuntimeException failure = assertThrows(
                StatusRuntimeException.class,
                () -> ClientCalls.blockingUnaryCall(
                        ClientInterceptors.intercept(channel, adding(headers)), Bytes.ADD, within(10), "a"));
        assertEquals(Status.Code.INVALID_ARGUMENT, failure.getStatus().getCode());
        assertEquals(0, service.runs());
    }

    @Test
    void theHandlerRunsOnWhenItsConnectionAndContextAreGone() throws Exception {
        add("first");
        Context.CancellableContext caller = Context.current().withCancellation();
        Future<String> reply =
                caller.call(() -> ClientCalls.futureUnaryCall(channel().newCall(Bytes.ADD, within(20)), "hold"));
        Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> service.runsOf("hold") == 1);
        caller.cancel(null);
        ExecutionException failure = assertThrows(ExecutionException.class, () -> reply.get(10, TimeUnit.SECONDS));
        assertTrue(AtMostOnceClient.mayHaveRun(failure.getCause()), failure.toString());
        service.release();
        // Its reply is kept until the next call acknowledges the number: status, parts, "hold 2".
        Awaitility.await()
                .atMost(Duration.ofSeconds(10))
                .until(() -> once.engine().replyBytes() > 0);
        assertEquals(
                new KeptReply(
                                Status.OK,
                                Optional.of(new Metadata()),
                                Optional.of("hold 2".getBytes(UTF_8)),
                                new Metadata())
                        .encode()
                        .length,
                once.engine().replyBytes());
        add("next");
        assertEquals(1, once.engine().entries());
    }

    @Test
    void theDeadlineOfTheCallCancelsTheHandlersContext() {
        assertThrows(
                StatusRuntimeException.class,
                () -> ClientCalls.blockingUnaryCall(
                        channel(),
                        Bytes.ADD,
                        CallOptions.DEFAULT.withDeadlineAfter(300, TimeUnit.MILLISECONDS),
                        "hold"));
        Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> service.isHeldCancelled());
        assertEquals(1, service.runs());
    }

    @Test
    void aCallThatTheApplicationCancelsBeforeItsBeginHasNotRun() throws Exception {
        ClientCall<String, String> call = channel().newCall(Bytes.ADD, within(20));
        List<Status> ends = new ArrayList<>();
        List<Metadata> trailers = new ArrayList<>();
        call.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onClose(Status status, Metadata received) {
                        trailers.add(received);
                        ends.add(status);
                    }
                },
                new Metadata());
        call.cancel("enough", null);
        call.cancel("twice", null);
        Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> ends.size() == 1);
        assertEquals(Status.Code.CANCELLED, ends.get(0).getCode());
        assertEquals("false", trailers.get(0).get(AttemptOutcome.MAY_HAVE_RUN));
        assertEquals(0, service.runs());
    }

    private static ClientInterceptor adding(Metadata more) {
        return new ClientInterceptor() {
            @Override
            public <A, B> ClientCall<A, B> interceptCall(
                    MethodDescriptor<A, B> method, CallOptions options, Channel next) {
                return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
                    @Override
                    public void start(Listener<B> listener, Metadata headers) {
                        headers.merge(more);
                        super.start(listener, headers);
                    }
                };
            }
        };
    }

    /** Notes the headers of all attempts, and loses answers: the client hears that the connection broke. */
    private final class LosingNetwork implements ClientInterceptor {
        @Override
        public <A, B> ClientCall<A, B> interceptCall(MethodDescriptor<A, B> method, CallOptions options, Channel next) {
            return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
                private boolean lost;

                @Override
                public void start(Listener<B> listener, Metadata headers) {
                    synchronized (seen) {
                        Metadata copy = new Metadata();
                        copy.merge(headers);
                        seen.add(copy);
                    }
                    lost = headers.containsKey(CallMetadata.CLIENT)
                            && losses.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
                    super.start(
                            new SimpleForwardingClientCallListener<>(listener) {
                                @Override
                                public void onHeaders(Metadata received) {
                                    if (!lost) {
                                        super.onHeaders(received);
                                    }
                                }

                                @Override
                                public void onMessage(B message) {
                                    if (!lost) {
                                        super.onMessage(message);
                                    }
                                }

                                @Override
                                public void onClose(Status status, Metadata trailers) {
                                    if (lost) {
                                        super.onClose(
                                                Status.UNAVAILABLE.withDescription("lost by the test"), new Metadata());
                                    } else {
                                        super.onClose(status, trailers);
                                    }
                                }
                            },
                            headers);
                }
            };
        }
    }
}
