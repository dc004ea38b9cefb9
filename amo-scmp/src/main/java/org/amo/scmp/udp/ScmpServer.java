package org.amo.scmp.udp;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HashSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.amo.base.DaemonThreads;
import org.amo.base.Stable;
import org.amo.base.observe.Observed;
import org.amo.scmp.RpcCounters;
import org.amo.scmp.RpcServer;
import org.amo.scmp.RpcServerOptions;
import org.amo.scmp.ScmpOptions;
import org.amo.scmp.StartModes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves at-most-once calls over UDP. No call runs twice, under any behaviour of the network. With a state file this holds
 * across kill -9, loss of power and restart, too, if the disk keeps the forced writes of the file. Replies do not survive: a
 * call that ran before the crash and was not answered ends as unknown at its client.
 *
 * <p>Without a state file it holds as long as the machine's clock does not run backwards between two processes, and the second one
 * has no smaller skew; each start refuses calls for the skew then.
 *
 * <p>One event loop owns the protocol; a pool of workers runs the services. Any thread may call the methods here.
 */
@Stable
public final class ScmpServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ScmpServer.class);
    private static final long START_SECONDS = 30;
    private static final long TICK_MILLIS = 50;

    private final boolean ownsTransport;
    private final ScmpTransport transport;
    private final ServerLoop loop;
    private final Channel channel;
    private final StoreThread store;
    private final ExecutorService workers;

    private ScmpServer(
            boolean ownsTransport,
            ScmpTransport transport,
            ServerLoop loop,
            Channel channel,
            StoreThread store,
            ExecutorService workers) {
        this.ownsTransport = ownsTransport;
        this.transport = transport;
        this.loop = loop;
        this.channel = channel;
        this.store = store;
        this.workers = workers;
    }

    /**
     * Makes the state file of a server name that never existed, so that its first start serves at once. An operator does so once, by a
     * command of its own; a program that does so at every start takes a lost disk for a new server, and calls may run again.
     * The first start writes the file anew before it serves. So a file that is lost later comes back by no start, and the server then
     * refuses calls for β.
     *
     * @throws IOException in one line if the file or its lock file is there, or cannot be written
     */
    public static void initialize(Path stateFile) throws IOException {
        FileStableLatest.initialize(stateFile);
    }

    // The ticks end with the socket, and no thread waits for them.
    @SuppressWarnings("FutureReturnValueIgnored")
    static ScmpServer start(ScmpServerOptions options) throws IOException {
        ScmpOptions scmp = options.core().scmp().toBuilder()
                .hashSeed(new SecureRandom().nextLong())
                .build();
        Set<Integer> services = new HashSet<>(options.services().keySet());
        services.addAll(options.inline().keySet());
        RpcServerOptions core =
                options.core().toBuilder().scmp(scmp).services(services).build();
        ServerSeals seals = ServerSeals.of(options.key());
        StoreThread store = StoreThread.open(options.stateFile());
        boolean ownsTransport = options.transport().isEmpty();
        ScmpTransport transport = options.transport().orElseGet(() -> ScmpTransport.open("amo-scmp-server", 1));
        ThreadPoolExecutor workers = new ThreadPoolExecutor(
                options.workers(),
                options.workers(),
                0,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                DaemonThreads.factory("amo-scmp-worker"));
        boolean started = false;
        Optional<Channel> open = Optional.empty();
        try {
            if (!options.services().isEmpty()) {
                DaemonThreads.startAll(workers);
            }
            OptionalLong known = store.known();
            // A clock that was set back while the server was down would make it refuse everybody until it has caught
            // up; without the file it would have calls of before run again.
            long least = known.isPresent() ? known.getAsLong() - scmp.betaMicros() : Long.MIN_VALUE;
            Clocks clock = new Clocks(options.wallMicros(), least);
            StartModes.Beginning beginning = beginning(options, scmp, store, clock.micros());
            ServerLoop loop = new ServerLoop(options, seals, clock, workers, store);
            loop.core(new RpcServer(core, beginning, loop));
            ChannelFuture bound = transport.bootstrap(4 << 20).handler(loop).bind(options.address());
            open = Optional.of(bound.channel());
            await(bound, "cannot bind " + options.address());
            transport.opened(bound.channel());
            Future<?> ticks = bound.channel()
                    .eventLoop()
                    .scheduleAtFixedRate(loop::onTick, 0, TICK_MILLIS, TimeUnit.MILLISECONDS);
            bound.channel().closeFuture().addListener(gone -> ticks.cancel(false));
            await(loop.ready(), "cannot store the latest timestamp");
            started = true;
            return new ScmpServer(ownsTransport, transport, loop, bound.channel(), store, workers);
        } finally {
            if (!started) {
                open.ifPresent(each -> each.close().awaitUninterruptibly(START_SECONDS, TimeUnit.SECONDS));
                release(ownsTransport, transport, workers, store);
            }
        }
    }

    private static StartModes.Beginning beginning(
            ScmpServerOptions options, ScmpOptions scmp, StoreThread store, long nowMicros) {
        StartModes beginnings = StartModes.of(scmp);
        if (options.stateFile().isEmpty()) {
            return options.neverExisted()
                    ? beginnings.volatileFirstCreation(nowMicros)
                    : beginnings.volatileRestart(nowMicros);
        }
        if (store.isOfServerThatNeverServed()) {
            // Its next value is on disk before this server serves: the file tells that once.
            return beginnings.firstCreation(nowMicros);
        }
        OptionalLong stored = store.stored();
        if (stored.isPresent()) {
            return beginnings.recovered(stored.getAsLong(), nowMicros);
        }
        LOG.warn(
                "{} does not exist: refusing calls for {} s, which is safe if the server ran before; if it never did, make the file"
                        + " once by ScmpServer.initialize",
                options.stateFile().get(),
                TimeUnit.MICROSECONDS.toSeconds(scmp.betaMicros()));
        return beginnings.storageLost(nowMicros);
    }

    /** Where it listens, with the port that the system chose for port 0. */
    public InetSocketAddress address() {
        return (InetSocketAddress) channel.localAddress();
    }

    /**
     * The counters of the server and the sizes that it holds.
     *
     * @throws IllegalStateException when the server is closed
     */
    public RpcCounters counters() {
        try {
            return channel.eventLoop().submit(loop::counters).get(START_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        } catch (ExecutionException | TimeoutException | RejectedExecutionException e) {
            throw new IllegalStateException("the server is closed", e);
        }
    }

    /** Datagrams that were dropped: malformed, without a right seal, beyond a limit, or not taken by the socket. */
    public long dropped() {
        return loop.dropped().sum();
    }

    /** Its counters for monitoring, at most a tick of 50 ms old. Offer them by {@code Observation.offer} of amo-observe. */
    public Observed observed() {
        return new ObservedServer(address(), loop::told, loop.dropped(), store::forces, channel::isOpen);
    }

    /** How often the state file was forced to disk. */
    public long storeForces() {
        return store.forces();
    }

    /**
     * Stops serving. Calls under way run on, also those that wait for a thread; their replies are lost. The state file is free
     * for the next server when this returns, unless the disk hangs for over 10 s: then it stays locked until the disk answers.
     */
    @Override
    public void close() {
        channel.close().awaitUninterruptibly(START_SECONDS, TimeUnit.SECONDS);
        release(ownsTransport, transport, workers, store);
    }

    private static void release(
            boolean ownsTransport, ScmpTransport transport, ExecutorService workers, StoreThread store) {
        workers.shutdown();
        store.close();
        if (ownsTransport) {
            transport.close();
        }
    }

    private static void await(Future<?> future, String failure) throws IOException {
        if (!future.awaitUninterruptibly(START_SECONDS, TimeUnit.SECONDS)) {
            throw new IOException(failure + " within " + START_SECONDS + " s");
        }
        if (!future.isSuccess()) {
            throw new IOException(failure + ": " + future.cause().getMessage(), future.cause());
        }
    }
}
