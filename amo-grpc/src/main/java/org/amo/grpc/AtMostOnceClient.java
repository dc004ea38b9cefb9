package org.amo.grpc;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.amo.base.ClientId;
import org.amo.base.DaemonThreads;
import org.amo.base.Experimental;
import org.amo.core.client.AttemptedCall;
import org.amo.core.client.ClientSession;
import org.amo.core.client.Delivery;
import org.amo.core.sack.FinishedNumbers;

/**
 * Makes each unary call of a channel run at most once at a server with {@link AtMostOnceServer}. Give it to {@code
 * ManagedChannelBuilder.intercept} or to one stub; one object for each server.
 *
 * <p>Each call gets a number, a timestamp and a deadline, which all of its attempts carry: those that this class makes after a lost
 * connection, and those of gRPC's retries and hedging, which may be on. Numbers of finished calls are acknowledged with the next calls. Of several such interceptors in
 * a row the first one does so, and the others pass its attempts as they are.
 *
 * <p>The deadline is that of the call options or the context, else {@link Builder#deadline}. Until it has passed, attempts go on. A call then fails with a
 * status for which {@link #mayHaveRun} tells whether the call may have run or certainly did not. It is honest for retries of the channel and of proxies,
 * too.
 *
 * <p>The first call asks the server for its id and its time before it is sent, one round trip. A server without the interceptor is found
 * out by that, and no call runs there. Streaming methods pass as they are.
 *
 * <p>Nothing survives the process: a restarted client is a new one, and its last calls keep their effects. Any thread may use it.
 */
@Experimental
public final class AtMostOnceClient implements ClientInterceptor, AutoCloseable {
    /** Of an attempt. An interceptor behind this one, such as that of the channel behind that of a stub, must give it no number of its own. */
    static final CallOptions.Key<Boolean> NUMBERED = CallOptions.Key.createWithDefault("amo-numbered", false);

    /** About 40 bytes each at most: with other metadata they stay below the 8 KiB that gRPC takes by default. */
    private static final int MOST_RANGES = 100;

    private final Duration deadline;
    private final Duration attemptTimeout;
    private final ClientSession session;
    private final ScheduledThreadPoolExecutor timer =
            new ScheduledThreadPoolExecutor(1, DaemonThreads.factory("amo-grpc-client-timer"));
    private final ExecutorService callbacks = Executors.newCachedThreadPool(DaemonThreads.factory("amo-grpc-client"));

    /** Of the server that answered last; guarded by the session. */
    private Optional<String> server = Optional.empty();

    private AtMostOnceClient(Builder builder) {
        deadline = builder.deadline;
        attemptTimeout = builder.attemptTimeout;
        SecureRandom random = new SecureRandom();
        // A retry policy, hedging or a proxy may deliver an attempt again, and no interceptor hears of it.
        session = new ClientSession(new ClientId(random.nextLong(), random.nextLong()), Delivery.MAY_REPEAT);
        timer.setRemoveOnCancelPolicy(true);
    }

    /** A client with the default settings. */
    public static AtMostOnceClient create() {
        return builder().build();
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Collects settings; {@link #build} checks them. */
    public static final class Builder {
        private Duration deadline = Duration.ofSeconds(60);
        private Duration attemptTimeout = Duration.ofMillis(AttemptedCall.ATTEMPT_MILLIS);

        private Builder() {}

        /** Of calls that name none. Default 60 s. */
        public Builder deadline(Duration value) {
            deadline = value;
            return this;
        }

        /** An attempt without an answer for that long is given up, and another one follows. Default 3 s. */
        public Builder attemptTimeout(Duration value) {
            attemptTimeout = value;
            return this;
        }

        /** @throws IllegalArgumentException naming the setting that cannot work */
        public AtMostOnceClient build() {
            if (deadline.toMillis() < 1 || attemptTimeout.toMillis() < 1) {
                throw new IllegalArgumentException("deadline and attemptTimeout must be at least 1 ms: deadline="
                        + deadline + " attemptTimeout=" + attemptTimeout);
            }
            return new AtMostOnceClient(this);
        }
    }

    /**
     * Whether a call that failed with this may have run, or may still run. False is certain: it did not run and will not. Without amo's
     * trailers the answer is true.
     *
     * @param failure a {@code StatusException} or {@code StatusRuntimeException}, or with one as its cause
     */
    public static boolean mayHaveRun(Throwable failure) {
        Metadata trailers = Status.trailersFromThrowable(failure);
        return trailers == null || !"false".equals(trailers.get(AttemptOutcome.MAY_HAVE_RUN));
    }

    @Override
    public <ReqT, RespT> ClientCall<ReqT, RespT> interceptCall(
            MethodDescriptor<ReqT, RespT> method, CallOptions options, Channel next) {
        return method.getType() == MethodDescriptor.MethodType.UNARY && !options.getOption(NUMBERED)
                ? new GrpcCall<>(this, method, options, next)
                : next.newCall(method, options);
    }

    /** Guards the calls and their numbers. */
    ClientSession session() {
        return session;
    }

    long deadlineMillis() {
        return deadline.toMillis();
    }

    long attemptMillis() {
        return attemptTimeout.toMillis();
    }

    /** The server of new calls. Guarded by the session. */
    Optional<String> server() {
        return server;
    }

    /** Guarded by the session. */
    void onServer(String id) {
        server = Optional.of(id);
    }

    /**
     * Runs a task that only starts things.
     *
     * @return false if this client is closed: it never runs
     */
    boolean later(Runnable task, long delayMillis) {
        try {
            ScheduledFuture<?> unused = timer.schedule(task, delayMillis, TimeUnit.MILLISECONDS);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    /** Runs callbacks for which the application has given no executor. */
    Executor callbacks() {
        return callbacks;
    }

    /** The acknowledgements for an attempt that leaves now: of many ranges the lowest ones, since the floor follows them. */
    FinishedNumbers finished(long nowMillis) {
        FinishedNumbers all = session.carry(nowMillis);
        if (all.rangeCount() <= MOST_RANGES) {
            return all;
        }
        long[] bounds = new long[2 * MOST_RANGES];
        for (int i = 0; i < MOST_RANGES; i++) {
            bounds[2 * i] = all.rangeFirst(i);
            bounds[2 * i + 1] = all.rangeLast(i);
        }
        return FinishedNumbers.of(all.floor(), bounds);
    }

    /** Ends the threads. Shut the channel down first: a call whose attempt ends afterwards gets its outcome without another attempt. */
    @Override
    public void close() {
        timer.shutdown();
        callbacks.shutdown();
    }
}
