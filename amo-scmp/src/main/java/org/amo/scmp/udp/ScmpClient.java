package org.amo.scmp.udp;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.amo.base.RunningOperation;
import org.amo.base.Stable;
import org.amo.net.EventLoops;
import org.amo.scmp.CallOutcome;
import org.amo.scmp.RpcClient;
import org.amo.scmp.RpcClientOptions;
import org.amo.scmp.RpcDatagrams;

/**
 * A client of one {@link ScmpServer}. Its first call needs one datagram each way, like every other. Any thread may use it; calls of
 * many threads and asynchronous calls are under way together.
 *
 * <p>Every call ends within its timeout, with its result or a {@link ScmpCallException}, which says whether the call ran. The
 * client sends a call with its arguments for {@link RpcClientOptions#maxSendMicros()} at most. Nothing survives a crash of the
 * client: its calls run once or not at all, and a new client is another one for the server.
 */
@Stable
public final class ScmpClient implements AutoCloseable {
    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);
    private static final long GRACE_SECONDS = 5;

    private final boolean ownsTransport;
    private final ScmpTransport transport;
    private final Channel channel;
    private final ScmpClientLoop loop;

    private ScmpClient(boolean ownsTransport, ScmpTransport transport, Channel channel, ScmpClientLoop loop) {
        this.ownsTransport = ownsTransport;
        this.transport = transport;
        this.channel = channel;
        this.loop = loop;
    }

    public static Builder builder(InetSocketAddress server) {
        return new Builder(server);
    }

    /**
     * Calls a service and waits, at most 30 s.
     *
     * @throws IllegalArgumentException for a call that cannot be sent: service 0 to 65,535, at most 65,455 bytes of arguments
     * @throws ScmpCallException if there is no result; its kind says whether the call ran
     * @throws InterruptedException if this thread was interrupted; the call goes on, and may run
     */
    public byte[] call(int service, byte[] arguments) throws InterruptedException {
        return call(service, arguments, DEFAULT_TIMEOUT);
    }

    /** The same, waiting at most for the timeout, 1 us to 24 hours. */
    public byte[] call(int service, byte[] arguments, Duration timeout) throws InterruptedException {
        try {
            // The core ends every call at its time; the grace is for a machine that stops it.
            return callAsync(service, arguments, timeout)
                    .get(timeout.toMillis() + TimeUnit.SECONDS.toMillis(GRACE_SECONDS), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof ScmpCallException known) {
                throw known;
            }
            throw new IllegalStateException("the client failed", e.getCause());
        } catch (TimeoutException e) {
            throw ended(CallOutcome.Kind.UNKNOWN);
        }
    }

    /**
     * Calls a service. The future ends with the result or a {@link ScmpCallException}, on the event loop: dependent
     * stages must not wait there.
     *
     * @param arguments not to be changed until the future has ended
     * @param timeout until it ends in any case, 1 us to 24 hours
     * @throws IllegalArgumentException for a call that cannot be sent; nothing was sent
     * @throws org.amo.base.NestedCallException when an operation of a replicated service makes the call, and its
     *     members do not allow it; nothing was sent
     */
    public CompletableFuture<byte[]> callAsync(int service, byte[] arguments, Duration timeout) {
        RunningOperation.checkCall("SCMP service " + service);
        RpcDatagrams.checkCall(service, arguments.length);
        long timeoutMicros = TimeUnit.MICROSECONDS.convert(timeout);
        RpcClient.checkTimeout(timeoutMicros);
        CompletableFuture<byte[]> result = new CompletableFuture<>();
        boolean taken = EventLoops.execute(
                channel.eventLoop(),
                () -> loop.begin(service, arguments, timeoutMicros, outcome -> {
                    if (outcome.kind() == CallOutcome.Kind.REPLY) {
                        result.complete(outcome.body());
                    } else {
                        result.completeExceptionally(ScmpCallException.of(outcome));
                    }
                }),
                () -> result.completeExceptionally(ended(CallOutcome.Kind.UNKNOWN)));
        if (!taken) {
            result.completeExceptionally(ended(CallOutcome.Kind.NOT_EXECUTED));
        }
        return result;
    }

    private static ScmpCallException ended(CallOutcome.Kind kind) {
        return ScmpCallException.of(new CallOutcome(kind, Optional.empty(), new byte[0]));
    }

    /** From the next call on this is a client that the server has never seen, on the same socket. Calls under way go on. */
    public void renew() {
        loop.renew();
    }

    /** The address that its datagrams come from. */
    public InetSocketAddress localAddress() {
        return (InetSocketAddress) channel.localAddress();
    }

    /** Acknowledges replies and closes the socket. Calls under way end as unknown. */
    @Override
    public void close() {
        EventExecutor executor = channel.eventLoop();
        try {
            if (executor.inEventLoop()) {
                loop.close();
            } else if (!executor.isShuttingDown()) {
                executor.submit(loop::close).awaitUninterruptibly(GRACE_SECONDS, TimeUnit.SECONDS);
            }
            channel.close().awaitUninterruptibly(GRACE_SECONDS, TimeUnit.SECONDS);
        } catch (RejectedExecutionException e) {
            // The transport was closed meanwhile, and this client with it.
        }
        if (ownsTransport) {
            transport.close();
        }
    }

    /** Collects the settings of a client; {@link #open} checks them. */
    @Stable
    public static final class Builder {
        private final InetSocketAddress server;
        private Optional<byte[]> key = Optional.empty();
        private Optional<ScmpCredential> credential = Optional.empty();
        private boolean insecure;
        private RpcClientOptions core = RpcClientOptions.defaults();
        private LongSupplier wallMicros = Clocks::systemWallMicros;
        private Optional<ScmpTransport> transport = Optional.empty();

        private Builder(InetSocketAddress server) {
            this.server = server;
        }

        /** The server's key, at least 16 secret bytes. This, {@link #credential} or {@link #insecure}. */
        public Builder key(byte[] value) {
            key = Optional.of(value.clone());
            return this;
        }

        /** This client's own key. */
        public Builder credential(ScmpCredential value) {
            credential = Optional.of(value);
            return this;
        }

        /** The server has no key. */
        public Builder insecure() {
            insecure = true;
            return this;
        }

        /** Limits and times of the protocol. */
        public Builder core(RpcClientOptions value) {
            core = value;
            return this;
        }

        /** Another wall clock, in microseconds since 1970. */
        public Builder wallClock(LongSupplier value) {
            wallMicros = value;
            return this;
        }

        /** Share the event loops of a transport. Default: one thread of its own. */
        public Builder transport(ScmpTransport value) {
            transport = Optional.of(value);
            return this;
        }

        /**
         * Opens the socket; sends nothing.
         *
         * @throws IllegalArgumentException for options that do not fit together
         * @throws IOException when there is no socket or no route to the server
         */
        public ScmpClient open() throws IOException {
            long chosen = Stream.of(key.isPresent(), credential.isPresent(), insecure)
                    .filter(each -> each)
                    .count();
            if (chosen != 1) {
                throw new IllegalArgumentException(
                        chosen == 0
                                ? "no security chosen: give credential(...) or key(...), or say insecure() if the server does"
                                : "credential(...), key(...) and insecure() contradict each other; choose one");
            }
            DatagramSeal seal =
                    credential.map(own -> DatagramSeal.ofClient(own.key())).orElseGet(() -> DatagramSeal.of(key));
            boolean owns = transport.isEmpty();
            ScmpTransport on = transport.orElseGet(() -> ScmpTransport.open("amo-scmp-client", 1));
            ScmpClientLoop loop = new ScmpClientLoop(core, seal, credential, new Clocks(wallMicros, Long.MIN_VALUE));
            ChannelFuture connected = on.bootstrap(1 << 20).handler(loop).connect(server);
            if (!connected.awaitUninterruptibly(GRACE_SECONDS, TimeUnit.SECONDS) || !connected.isSuccess()) {
                if (owns) {
                    on.close();
                }
                throw new IOException("cannot reach " + server + ": " + connected.cause(), connected.cause());
            }
            on.opened(connected.channel());
            return new ScmpClient(owns, on, connected.channel(), loop);
        }
    }
}
