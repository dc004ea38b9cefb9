package org.amo.grpc;

import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.amo.base.DaemonThreads;
import org.amo.base.Experimental;
import org.amo.core.replica.GroupParameters;

/**
 * Lets the handlers of a gRPC server run at most once for each unary call whose client sends amo's metadata ({@link AtMostOnceClient}, or any
 * client by docs/wire/grpc.md). Give one of it to {@code ServerBuilder.intercept}.
 *
 * <p>A retry, a hedged attempt or a duplicate gets the first attempt's reply: status, message bytes and trailers. It waits for it if the handler still
 * runs. A begin is on disk before the handler runs, and the reply before it leaves. So a restarted server on the same folder runs no call
 * again; it answers a call that was running at the crash with UNKNOWN and {@code amo-may-have-run: true}. The effects of a handler are as durable as the
 * handler makes them.
 *
 * <p>A reply is kept until the client has acknowledged it, or its deadline has passed, at most 10 minutes. If the kept replies use up their budget, or what is kept of
 * clients a quarter of the heap, new calls are refused with RESOURCE_EXHAUSTED; no reply is dropped for lack of room.
 *
 * <p>The handler's whole answer is the reply, also a status such as UNAVAILABLE: a retry gets it again. Interceptors for authentication
 * are to be outside of this one, so added behind it. Streaming methods, and calls without the metadata, pass as they are; a streaming call
 * with it is refused.
 *
 * <p>One process at a time has a folder, and one server behind one address: several servers with load balancing between them know nothing of each other's
 * calls, and refuse attempts of calls that began elsewhere. Any thread may use it.
 */
@Experimental
public final class AtMostOnceServer implements ServerInterceptor, AutoCloseable {
    private static final long TICK_MILLIS = 1_000;

    /** Of the heap that kept replies may take by default, and what is kept of clients beside them. */
    private static final int HEAP_PART = 4;

    private final CallEngine engine;
    private final boolean required;
    private final Optional<ExecutorService> ownExecutor;
    private final ScheduledThreadPoolExecutor timer;

    private AtMostOnceServer(
            CallEngine engine,
            boolean required,
            Optional<ExecutorService> ownExecutor,
            ScheduledThreadPoolExecutor timer) {
        this.engine = engine;
        this.required = required;
        this.ownExecutor = ownExecutor;
        this.timer = timer;
    }

    /**
     * Settings of a server.
     *
     * @param forced whether notes are forced to disk. Default true: no call runs twice over a loss of power, too. Without, only over the end of the
     *     process, and a call costs no wait for the disk
     * @param replyBytes of replies that are kept, all clients together; one client may have as many as are free, so half of them alone. Default
     *     64 MiB, or a quarter of the heap if that is less; at most 256 MiB
     * @param required whether unary calls without the metadata are refused. Default false: they run as without amo
     * @param executor runs handlers that waited for the disk; a pool of daemon threads if empty, the default
     */
    public record Options(boolean forced, long replyBytes, boolean required, Optional<Executor> executor) {
        private static final long MOST_REPLY_BYTES = 256L << 20;

        /** @throws IllegalArgumentException naming the setting that cannot work */
        public Options {
            if (replyBytes < 1 || replyBytes > MOST_REPLY_BYTES) {
                throw new IllegalArgumentException("replyBytes is 1 to " + MOST_REPLY_BYTES
                        + ", since a state is written in one piece: " + replyBytes);
            }
        }

        public static Builder builder() {
            return new Builder();
        }

        public static Options defaults() {
            return builder().build();
        }

        /** Collects options; {@link #build} checks them. */
        public static final class Builder {
            private boolean forced = true;
            private long replyBytes = Math.min(64L << 20, heapPart());
            private boolean required;
            private Optional<Executor> executor = Optional.empty();

            private Builder() {}

            public Builder forced(boolean value) {
                forced = value;
                return this;
            }

            public Builder replyBytes(long value) {
                replyBytes = value;
                return this;
            }

            public Builder required(boolean value) {
                required = value;
                return this;
            }

            public Builder executor(Executor value) {
                executor = Optional.of(value);
                return this;
            }

            /** @throws IllegalArgumentException naming the setting that cannot work */
            public Options build() {
                return new Options(forced, replyBytes, required, executor);
            }
        }
    }

    /**
     * Begins in a folder, or goes on with the calls that a former process has left there.
     *
     * @param folder made if it is missing
     * @throws IOException if another process has the folder, a file in it is damaged, or the disk refuses
     */
    public static AtMostOnceServer open(Path folder, Options options) throws IOException {
        Optional<ExecutorService> own = options.executor.isPresent()
                ? Optional.empty()
                : Optional.of(Executors.newCachedThreadPool(DaemonThreads.factory("amo-grpc-call")));
        ScheduledThreadPoolExecutor timer =
                new ScheduledThreadPoolExecutor(1, DaemonThreads.factory("amo-grpc-server-timer"));
        timer.setRemoveOnCancelPolicy(true);
        try {
            CallEngine engine = CallEngine.open(
                    folder,
                    new CallEngine.Settings(
                            options.forced,
                            options.replyBytes,
                            heapPart(),
                            GroupParameters.defaults(),
                            CallLog.LEAST_REPLACED_BYTES,
                            CallLog.Disk.system()),
                    options.executor.or(() -> own).orElseThrow(),
                    CallEngine.Clocks.system());
            ScheduledFuture<?> unused =
                    timer.scheduleWithFixedDelay(engine::onTick, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
            return new AtMostOnceServer(engine, options.required, own, timer);
        } catch (IOException | RuntimeException e) {
            timer.shutdownNow();
            own.ifPresent(ExecutorService::shutdownNow);
            throw e;
        }
    }

    private static long heapPart() {
        return Runtime.getRuntime().maxMemory() / HEAP_PART;
    }

    @Override
    public <ReqT, RespT> ServerCall.Listener<ReqT> interceptCall(
            ServerCall<ReqT, RespT> call, Metadata headers, ServerCallHandler<ReqT, RespT> next) {
        if (call.getMethodDescriptor().getType() != MethodDescriptor.MethodType.UNARY) {
            return CallMetadata.isIn(headers)
                    ? refused(
                            call,
                            Status.UNIMPLEMENTED.withDescription(
                                    "amo: streaming methods cannot run at most once; call them without amo's metadata"))
                    : next.startCall(call, headers);
        }
        if (!CallMetadata.isIn(headers)) {
            return required
                    ? refused(
                            call,
                            Status.FAILED_PRECONDITION.withDescription(
                                    "amo: this server takes calls with amo's metadata only; use amo's client interceptor"))
                    : next.startCall(call, headers);
        }
        if (headers.containsKey(CallMetadata.HELLO)) {
            return answered(call, AttemptOutcome.HELLO);
        }
        CallMetadata metadata;
        try {
            metadata = CallMetadata.read(headers);
        } catch (CallMetadata.MalformedException e) {
            return refused(call, Status.INVALID_ARGUMENT.withDescription("amo: " + e.getMessage()));
        }
        if (metadata.server().filter(id -> !id.equals(engine.server())).isPresent()) {
            return answered(call, AttemptOutcome.WRONG_SERVER);
        }
        ServerAttempt<ReqT, RespT> attempt = new ServerAttempt<>(engine, call, headers, next, metadata, timer);
        attempt.start();
        return attempt;
    }

    private <ReqT> ServerCall.Listener<ReqT> answered(ServerCall<ReqT, ?> call, AttemptOutcome outcome) {
        CallEngine.Times times = engine.times();
        Metadata trailers = new Metadata();
        outcome.putInto(trailers, engine.server(), times.orderedTimeMillis(), times.upperMillis());
        call.close(outcome.status(), trailers);
        return new ServerCall.Listener<>() {};
    }

    private static <ReqT> ServerCall.Listener<ReqT> refused(ServerCall<ReqT, ?> call, Status status) {
        Metadata trailers = new Metadata();
        AttemptOutcome.putMayHaveRun(trailers, false);
        call.close(status, trailers);
        return new ServerCall.Listener<>() {};
    }

    CallEngine engine() {
        return engine;
    }

    /**
     * Writes all notes and gives the folder to others. Shut the gRPC server down first, and await its end: calls that still run get no reply from
     * then on, and a later server answers them with UNKNOWN.
     *
     * @throws IOException if the disk does not answer for 10 s; then the folder stays claimed until a later call, or the end of the process
     */
    @Override
    public void close() throws IOException {
        timer.shutdownNow();
        try {
            engine.close();
        } finally {
            ownExecutor.ifPresent(ExecutorService::shutdown);
        }
    }
}
