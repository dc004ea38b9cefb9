package org.amo.grpc;

import io.grpc.Context;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.amo.base.wire.Sha256;
import org.amo.core.request.Budget;
import org.amo.core.request.Principal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt of a unary call, at the server. Takes its message, asks the {@link CallEngine}, and answers over its connection if that is still
 * there. If it is told to execute, the handler runs in a context of its own, which neither the end of the connection nor the deadline of the
 * attempt cancels, only the deadline of the call.
 *
 * <p>gRPC calls the listener from one thread at a time; the engine calls from any thread.
 */
final class ServerAttempt<ReqT, RespT> extends ServerCall.Listener<ReqT> implements CallEngine.Attempt {
    private static final Logger LOG = LoggerFactory.getLogger(ServerAttempt.class);
    private static final byte[] NO_BODY = {};

    /** A message of a second kind ends the call, as with gRPC's own handler. */
    private static final int MESSAGES = 2;

    private final CallEngine engine;
    private final ServerCall<ReqT, RespT> call;
    private final Metadata headers;
    private final ServerCallHandler<ReqT, RespT> next;
    private final CallMetadata metadata;
    private final Principal principal;
    private final ScheduledExecutorService timer;
    private final Context context = Context.current().fork();
    private final HandlerCall<ReqT, RespT> handled;
    private final AtomicBoolean answered = new AtomicBoolean();

    /** The end of the handler's input and the end of its output. */
    private final AtomicInteger ends = new AtomicInteger(2);

    private @Nullable ReqT message;
    private @Nullable Request request;
    private Optional<Context.CancellableContext> limited = Optional.empty();
    private ServerCall.Listener<ReqT> handler = new ServerCall.Listener<>() {};

    ServerAttempt(
            CallEngine engine,
            ServerCall<ReqT, RespT> call,
            Metadata headers,
            ServerCallHandler<ReqT, RespT> next,
            CallMetadata metadata,
            ScheduledExecutorService timer) {
        this.engine = engine;
        this.call = call;
        this.headers = headers;
        this.next = next;
        this.metadata = metadata;
        this.principal = principal(call);
        this.timer = timer;
        this.handled = new HandlerCall<>(call, this::onHandled);
    }

    void start() {
        call.request(MESSAGES);
    }

    private static Principal principal(ServerCall<?, ?> call) {
        SSLSession session = call.getAttributes().get(Grpc.TRANSPORT_ATTR_SSL_SESSION);
        if (session != null) {
            try {
                return Principal.subject(session.getPeerPrincipal().getName());
            } catch (SSLPeerUnverifiedException e) {
                LOG.trace("a client without a certificate", e);
            }
        }
        SocketAddress from = call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
        return from instanceof InetSocketAddress inet && inet.getAddress() != null
                ? Principal.address(inet.getAddress().getAddress())
                : Principal.UNKNOWN;
    }

    // ------------------------------------------------- gRPC

    @Override
    public void onMessage(ReqT arrived) {
        if (message != null) {
            close(Status.INTERNAL.withDescription("Too many requests"), new Metadata());
            return;
        }
        message = arrived;
    }

    @Override
    public void onHalfClose() {
        if (answered.get()) {
            return;
        }
        if (message == null) {
            close(Status.INTERNAL.withDescription("Half-closed without a request"), new Metadata());
            return;
        }
        byte[] bytes = HandlerCall.bytes(call.getMethodDescriptor().streamRequest(message));
        if (message instanceof InputStream) {
            message = call.getMethodDescriptor().parseRequest(new ByteArrayInputStream(bytes)); // that one is read
        }
        request = new Request(
                RequestId.own(metadata.client(), metadata.number()),
                metadata.timestampMillis(),
                metadata.deadlineMillis(),
                fingerprint(bytes),
                false,
                NO_BODY);
        engine.onAttempt(this);
    }

    /** Hash of the method and the message. */
    private long fingerprint(byte[] bytes) {
        byte[] method = call.getMethodDescriptor().getFullMethodName().getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.wrap(Sha256.of(method, new byte[] {0}, bytes)).getLong();
    }

    @Override
    public void onCancel() {
        if (!answered.getAndSet(true) && request != null) {
            engine.onGone(this);
        }
    }

    // ------------------------------------------------- the engine

    @Override
    public Request request() {
        Request whole = request;
        if (whole == null) {
            throw new IllegalStateException("the request has not arrived");
        }
        return whole;
    }

    @Override
    public Principal principal() {
        return principal;
    }

    @Override
    public FinishedNumbers finished() {
        return metadata.finished();
    }

    @Override
    public void execute() {
        long left = metadata.deadlineMillis() - engine.times().orderedTimeMillis();
        limited = Optional.of(context.withDeadlineAfter(Math.max(1, left), TimeUnit.MILLISECONDS, timer));
        limited.get().run(this::handle);
    }

    private void handle() {
        try {
            handler = next.startCall(handled, headers);
            handler.onMessage(message);
            handler.onHalfClose();
        } catch (RuntimeException | Error e) {
            LOG.warn("the handler of {} failed", call.getMethodDescriptor().getFullMethodName(), e);
            if (!handled.isClosed()) {
                handled.close(Status.UNKNOWN.withDescription("Application error processing RPC"), new Metadata());
            }
            if (e instanceof Error error) {
                throw error;
            }
        } finally {
            message = null;
            ended();
        }
    }

    private void onHandled(KeptReply reply) {
        engine.onExecuted(this, reply.encode());
        ended();
    }

    private void ended() {
        if (ends.decrementAndGet() == 0) {
            try {
                handler.onComplete();
            } finally {
                limited.ifPresent(ended -> ended.cancel(null));
            }
        }
    }

    @Override
    public void reply(byte[] reply, boolean replayed, CallEngine.Times times) {
        if (answered.getAndSet(true)) {
            return;
        }
        KeptReply kept = KeptReply.decode(reply);
        (replayed ? AttemptOutcome.REPLAYED : AttemptOutcome.REPLY)
                .putInto(kept.trailers(), engine.server(), times.orderedTimeMillis(), times.upperMillis());
        kept.headers().ifPresent(call::sendHeaders);
        kept.message()
                .ifPresent(bytes -> call.sendMessage((replayed ? Optional.<RespT>empty() : handled.message())
                        .orElseGet(() -> call.getMethodDescriptor().parseResponse(new ByteArrayInputStream(bytes)))));
        call.close(kept.status(), kept.trailers());
    }

    @Override
    public void refuse(AttemptOutcome outcome, Optional<Budget> budget, CallEngine.Times times) {
        Metadata trailers = new Metadata();
        outcome.putInto(trailers, engine.server(), times.orderedTimeMillis(), times.upperMillis());
        budget.ifPresent(used -> trailers.put(AttemptOutcome.BUDGET, used.name()));
        close(
                budget.map(used -> outcome.status().augmentDescription(used.sentence()))
                        .orElseGet(outcome::status),
                trailers);
    }

    @Override
    public void fail(boolean mayHaveRun) {
        Metadata trailers = new Metadata();
        AttemptOutcome.putMayHaveRun(trailers, mayHaveRun);
        close(
                Status.UNAVAILABLE.withDescription("amo: the server is closing, or its disk has failed"
                        + (mayHaveRun ? "; the call may have run" : "; this attempt did not run")),
                trailers);
    }

    private void close(Status status, Metadata trailers) {
        if (!answered.getAndSet(true)) {
            call.close(status, trailers);
        }
    }
}
