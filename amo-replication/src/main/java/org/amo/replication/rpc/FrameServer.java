package org.amo.replication.rpc;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import java.net.InetSocketAddress;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.amo.base.DaemonThreads;
import org.amo.core.door.Doorkeeper;
import org.amo.core.door.UnreadBytes;
import org.amo.core.order.FatalErrors;
import org.amo.core.order.GroupMembers;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.ReplicaStatus;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.request.Answer;
import org.amo.net.EventLoops;
import org.amo.net.LoopErrors;
import org.amo.replication.ProcessEnd;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the clients of one member. Answers leave in the order in which they become known, one flush for each batch. A
 * client that has {@link ServerConnection#MOST_REQUESTS} requests or {@link ServerConnection#MOST_BYTES} bytes under way,
 * or does not read its answers, is not read from until that is better. If clients leave too much unread, connections are closed:
 * {@link UnreadBytes} chooses them.
 *
 * <p>Any thread may use it. Nothing here survives a crash.
 */
@SuppressWarnings("FutureReturnValueIgnored") // no caller waits for a port to be free again
public final class FrameServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FrameServer.class);
    private static final long LOOK_EVERY_MILLIS = 200;

    private final FrameServerOptions options;
    private final ReplicatedService service;
    private final Optional<RpcQuestions> questions;
    private final FatalErrors fatal;
    private final RpcTransport transport;
    private final Channel listening;
    private final Optional<DatagramServer> datagrams;
    private final Thread stateWatch;

    // The transport's thread.
    private final Set<ServerConnection> connections = new HashSet<>();
    private final Doorkeeper<ServerConnection> door;
    private final TlsHandshakes handshakes;
    private final UnreadBytes<ServerConnection> unread;
    private final HeldBytes held;
    private final CompletableFuture<Boolean> drained = new CompletableFuture<>();
    private final PeerMistakes mistakes = new PeerMistakes(LOG::warn, System::nanoTime);
    private boolean draining;

    private volatile RpcFrames.State state = new RpcFrames.State("", Answer.NO_BOUND);
    private volatile boolean closed;

    /** How often the members had changed when connections were told last; the watching thread's. */
    private long membersVersion;

    private FrameServer(
            FrameServerOptions options,
            ReplicatedService service,
            Optional<RpcQuestions> questions,
            FatalErrors fatal,
            RpcTransport transport) {
        this.options = options;
        this.service = service;
        this.questions = questions;
        this.fatal = fatal;
        this.door = new Doorkeeper<>(options.limits().door());
        this.unread = new UnreadBytes<>(options.limits().unreadBytes());
        this.handshakes = new TlsHandshakes("amo-rpc-" + options.member());
        this.transport = transport;
        this.held = new HeldBytes(options.limits().bytes(), transport.loop(), this::readAgain);
        questions.ifPresent(each -> transport.loop().execute(() -> each.onStart(transport.loop())));
        this.listening = listen();
        this.datagrams = listenForDatagrams();
        this.stateWatch = DaemonThreads.unstarted("amo-rpc-state-" + options.member(), this::watchState);
    }

    /**
     * Listens from now on.
     *
     * @throws OrderedLogException in one line when it cannot
     */
    public static FrameServer open(FrameServerOptions options, ReplicatedService service) {
        return open(options, service, Optional.empty());
    }

    /**
     * The same, and answers questions.
     *
     * @throws OrderedLogException in one line when it cannot
     */
    public static FrameServer open(
            FrameServerOptions options, ReplicatedService service, Optional<RpcQuestions> questions) {
        return open(options, service, questions, ProcessEnd.atOnce());
    }

    /**
     * The same, with a listener for errors of the virtual machine in the thread of the connections.
     *
     * @throws OrderedLogException in one line when it cannot
     */
    public static FrameServer open(
            FrameServerOptions options,
            ReplicatedService service,
            Optional<RpcQuestions> questions,
            FatalErrors fatal) {
        return open(options, service, questions, fatal, transport(options.member()));
    }

    /** The transport of a member's server. It takes a while in a process that has just started, so it may be opened beside the join. */
    public static RpcTransport transport(String member) {
        return RpcTransport.open("amo-rpc-" + member);
    }

    /**
     * The same over a transport that was opened before.
     *
     * @param transport the server's own from now on
     * @throws OrderedLogException in one line when it cannot
     */
    public static FrameServer open(
            FrameServerOptions options,
            ReplicatedService service,
            Optional<RpcQuestions> questions,
            FatalErrors fatal,
            RpcTransport transport) {
        FrameServer server = new FrameServer(options, service, questions, fatal, transport);
        server.stateWatch.start();
        LoopErrors errors = new LoopErrors(LOG::error);
        server.transport
                .loop()
                .scheduleWithFixedDelay(
                        () -> errors.run(() -> server.guard(server::look)),
                        LOOK_EVERY_MILLIS,
                        LOOK_EVERY_MILLIS,
                        TimeUnit.MILLISECONDS);
        return server;
    }

    private Channel listen() {
        ChannelFuture bound = transport
                .server()
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        accept(channel);
                    }
                })
                .bind(options.host(), options.port())
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            transport.close();
            throw new OrderedLogException(
                    OrderedLogException.Fault.ENVIRONMENT,
                    "member " + options.member() + " cannot listen for clients on " + options.host() + ":"
                            + options.port() + " (" + bound.cause().getMessage()
                            + "); free that port or give the member another client port",
                    bound.cause());
        }
        transport.opened(bound.channel());
        return bound.channel();
    }

    private Optional<DatagramServer> listenForDatagrams() {
        if (!options.udp()) {
            return Optional.empty();
        }
        DatagramServer server = new DatagramServer(options, service, fatal);
        try {
            server.listen(port());
        } catch (OrderedLogException e) {
            transport.close();
            throw e;
        }
        service.countDatagrams(server::counts);
        return Optional.of(server);
    }

    /** Datagrams by their outcomes since the start; none without UDP. Any thread. */
    public Map<String, Long> datagramCounts() {
        return datagrams.map(DatagramServer::counts).orElse(Map.of());
    }

    /** Where it listens: of use when any free port was asked for. */
    public int port() {
        return ((InetSocketAddress) listening.localAddress()).getPort();
    }

    /**
     * Tells all clients to go to other members and takes no new ones. Requests and questions under way are answered.
     *
     * @return whether everything was answered within that time
     */
    public boolean drain(long millis) {
        transport.loop().execute(() -> {
            draining = true;
            listening.close();
            for (ServerConnection connection : connections) {
                connection.tellDraining();
            }
            answered();
        });
        CompletableFuture<Boolean> all = datagrams
                .map(server -> drained.thenCombine(server.drain(), Boolean::logicalAnd))
                .orElse(drained);
        try {
            return all.get(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException | TimeoutException e) {
            return false;
        }
    }

    /** Ends all connections. Blocks for some seconds at most. */
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(stateWatch);
        datagrams.ifPresent(DatagramServer::close);
        transport.close();
        handshakes.close();
    }

    // ---- the transport's thread

    private void accept(Channel channel) {
        ServerConnection connection = new ServerConnection(this, options, service, channel);
        Doorkeeper.Decision<ServerConnection> decision =
                door.arrive(connection, ((InetSocketAddress) channel.remoteAddress()).getAddress());
        decision.close().forEach(each -> each.closeFor("there are too many connections"));
        if (decision.outcome() == Doorkeeper.Outcome.REFUSED) {
            channel.close();
            return;
        }
        connections.add(connection);
        transport.opened(channel);
        options.tls().ifPresent(tls -> TlsHandlers.server(channel, tls, handshakes));
        channel.pipeline().addLast(connection.frames());
    }

    PeerMistakes mistakes() {
        return mistakes;
    }

    void greeted(ServerConnection connection) {
        door.prove(connection);
    }

    /** A connection holds so many bytes more than before. */
    void held(long more) {
        held.add(more);
    }

    /** So many bytes more wait for the client of a connection. */
    void unread(ServerConnection connection, long bytes, boolean first, long nowNanos) {
        unread.add(connection, bytes, first, nowNanos)
                .forEach(each -> each.abort("memory is short, and it reads least of what it is sent"));
    }

    /** The client has taken them. */
    void read(ServerConnection connection, long bytes, long nowNanos) {
        unread.read(connection, bytes, nowNanos);
    }

    /** So many of these bytes more belong to requests of connections that have ended. */
    void heldByEnded(long more) {
        held.addEnded(more);
    }

    private void readAgain() {
        List.copyOf(connections).forEach(ServerConnection::balance);
    }

    /** Requests whose connections have ended hold as much as all may. */
    boolean hasNoRoom() {
        return held.isFullOfEnded();
    }

    /** Bytes that clients have not read. */
    long unreadBytes() {
        return unread.total();
    }

    /** While all connections hold as much as they may, only those are read that hold less than their share of it. */
    boolean mayRead(long own) {
        return !held.isFull() || (!hasNoRoom() && own < held.limit() / (2L * Math.max(1, connections.size())));
    }

    /** Slow senders; and frames that wait for each other's room, of which the largest gives way. */
    private void look() {
        long now = System.nanoTime();
        List.copyOf(connections).forEach(each -> each.look(now));
        if (held.isFull()
                && !hasNoRoom()
                && connections.stream().noneMatch(each -> each.held() > 0 && !each.holdsPartOfAFrame())) {
            connections.stream()
                    .filter(ServerConnection::holdsPartOfAFrame)
                    .max(Comparator.comparingLong(ServerConnection::held))
                    .ifPresent(each -> each.closeFor("memory is short and it holds most"));
        }
    }

    /** Outside of the channels, which tell of errors by themselves. */
    private void guard(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            FatalErrors.in(e).ifPresent(this::onFatal);
            throw e;
        }
    }

    void gone(ServerConnection connection) {
        connections.remove(connection);
        unread.leave(connection);
        door.leave(connection);
        answered();
    }

    /** A connection has nothing under way any more. */
    void answered() {
        if (draining && connections.stream().allMatch(ServerConnection::isIdle)) {
            drained.complete(true);
        }
    }

    void onFatal(VirtualMachineError error) {
        fatal.onFatal("member " + options.member() + " of group " + options.group(), error);
    }

    /** Empty when this member has no answers. */
    Optional<RpcQuestions> questions() {
        return questions;
    }

    RpcFrames.State state() {
        return state;
    }

    boolean isDraining() {
        return draining;
    }

    private void watchState() {
        LoopErrors errors = new LoopErrors(LOG::error);
        while (!closed) {
            errors.run(() -> guard(this::lookAtState));
            LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(LOOK_EVERY_MILLIS));
        }
    }

    private void lookAtState() {
        ReplicaStatus status = service.status();
        // A client that hears its leader asks for the members, too.
        long changes = service.members().map(GroupMembers::version).orElse(0L);
        boolean other = !status.leader().equals(state.leader()) || changes != membersVersion;
        membersVersion = changes;
        state = new RpcFrames.State(
                status.leader(), status.orderedTimeMillis() == 0 ? Answer.NO_BOUND : status.upperMillis());
        datagrams.ifPresent(server -> server.look(status));
        if (other) {
            // While the server closes, its thread takes no task any more.
            boolean unused = EventLoops.execute(
                    transport.loop(), () -> connections.forEach(ServerConnection::tellState), () -> {});
        }
    }
}
