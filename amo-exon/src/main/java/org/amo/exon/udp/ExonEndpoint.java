package org.amo.exon.udp;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.amo.base.DaemonThreads;
import org.amo.base.RunningOperation;
import org.amo.base.Stable;
import org.amo.base.observe.Observed;
import org.amo.exon.ExonNode;
import org.amo.exon.NodeId;
import org.amo.exon.Outcome;
import org.amo.net.EventLoops;
import org.amo.net.LatestFigures;

/**
 * Runs a node of Exon on a UDP socket. Nodes need no connections: send to any node that has an address by {@link #hint}, or
 * that was heard before.
 *
 * <p>While both processes live, a message is delivered exactly once, in no particular order, under any network behaviour.
 * When a process crashes, a message is delivered at most once, and a live sender gets UNKNOWN for messages that had left.
 * {@link DeliveredAt} says when a message counts as delivered. Every message has a deadline; no call waits longer. Any thread
 * may call the endpoint, but a thread that delivers messages should not wait for messages of its own.
 */
@Stable
public final class ExonEndpoint implements AutoCloseable {
    /** Datagrams that epoll takes with one system call. */
    private static final int BATCH = 16;

    private final ExonEndpointOptions options;
    private final EventLoops loops;
    private final Channel channel;
    private final EndpointLoop loop;
    private final SendWindows windows;
    private final Requests requests;
    private final ClockWriter clock;
    private volatile boolean closing;

    private ExonEndpoint(ExonEndpointOptions options, ExonReceiver receiver, FileNodeClock clockFile, long stored)
            throws IOException {
        this.options = options;
        // First, since nothing is open yet that a failure would leave open.
        Optional<SecureKeys> keys =
                options.encrypted() ? Optional.of(SecureKeys.of(options, stored)) : Optional.empty();
        this.windows = new SendWindows(options.window());
        this.requests = new Requests(this, receiver);
        this.clock = new ClockWriter(clockFile, this::onClockStored);
        Optional<DurableInbox> inbox = options.inbox().isPresent()
                ? Optional.of(DurableInbox.open(options.inbox().get(), stored - 1))
                : Optional.empty();
        this.loop = new EndpointLoop(wake -> deliveries(inbox, wake), clock::store);
        loop.node(new ExonNode(
                options.id(),
                stored,
                stored + options.core().clockRange(),
                options.seals(),
                options.coreOnWire(),
                loop));
        keys.ifPresent(loop::encrypt);
        loops = EventLoops.open("amo-exon", 1);
        boolean open = false;
        try {
            clock.start();
            loop.startDeliveries();
            if (inbox.isPresent()) {
                loop.handOverKept(inbox.get().takeUnnoted(), options.core().datagramBytes());
            }
            channel = bind(options, loops, loop);
            open = true;
        } finally {
            if (!open) {
                loops.close();
                loop.stopDeliveries();
                clock.close();
            }
        }
    }

    private Deliveries deliveries(Optional<DurableInbox> inbox, Runnable wakeLoop) {
        boolean atReceipt = options.deliveredAt() == DeliveredAt.RECEIPT;
        ThreadFactory threads = DaemonThreads.factory("amo-exon-deliver");
        if (inbox.isPresent()) {
            return Deliveries.byInbox(requests, inbox.get(), wakeLoop, threads);
        }
        return options.deliversInLoop()
                ? Deliveries.inLoop(requests, atReceipt)
                : Deliveries.inThread(requests, atReceipt, wakeLoop, threads);
    }

    private static Channel bind(ExonEndpointOptions options, EventLoops loops, EndpointLoop loop) throws IOException {
        ChannelFuture bound = loops.datagrams(options.socketBufferBytes(), BATCH)
                .handler(loop)
                .bind(options.listen())
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IOException(
                    "cannot listen on " + options.listen() + ": "
                            + bound.cause().getMessage(),
                    bound.cause());
        }
        return bound.channel();
    }

    /**
     * Starts a node.
     *
     * @throws IOException if the address is taken, the clock's file is another node's, damaged or not writable, or the system
     *     gives no thread
     */
    public static ExonEndpoint open(ExonEndpointOptions options, ExonReceiver receiver) throws IOException {
        FileNodeClock file = FileNodeClock.open(options.clockFile().orElse(null), options.id());
        try {
            long stored = file.stored(System.currentTimeMillis());
            file.store(stored + options.core().clockRange());
            return new ExonEndpoint(options, receiver, file, stored);
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    /** Where its socket is. */
    public InetSocketAddress address() {
        return (InetSocketAddress) channel.localAddress();
    }

    public NodeId id() {
        return options.id();
    }

    /**
     * Gives the address of a node. The node may move later: datagrams heard from it count more. Messages to a node without an
     * address wait for one until their deadline, and are NOT_SENT then.
     *
     * @param address resolved
     */
    public void hint(NodeId node, InetSocketAddress address) {
        loop.submit((core, now) -> core.hint(node, new EndpointLoop.Place(address)), () -> {});
    }

    /** Sends a message with the timeout of the options. */
    public CompletableFuture<Outcome> send(NodeId to, byte[] message) {
        return send(to, message, options.timeout());
    }

    /**
     * Sends a message. Waits while too many bytes are under way to that node; in the endpoint's own thread, where outcomes
     * complete, it does not wait: the message is then NOT_SENT.
     *
     * @param message copied
     * @return completes with the outcome, within the timeout and a little, mostly in the endpoint's event loop: dependent stages
     *     must not wait. Never fails
     * @throws IllegalArgumentException if it is too long, or addressed to this node
     * @throws org.amo.base.NestedCallException when an operation of a replicated service sends it, and its members do
     *     not allow it; nothing was sent. The same of {@link #request}
     */
    public CompletableFuture<Outcome> send(NodeId to, byte[] message, Duration timeout) {
        RunningOperation.checkCall("Exon node " + to);
        byte[] body = requests.plain(message);
        CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        post(to, body, timeout, true, outcome::complete);
        return outcome;
    }

    /**
     * Sends a request; the other side runs it exactly once if both live. Waits like {@link #send} while too many bytes are under
     * way to that node.
     *
     * @param timeout of the wait before the request leaves, and once more from then until its reply
     * @return its reply, or fails with an {@link ExonException}, whose outcome says whether the request was delivered: NOT_SENT,
     *     certainly not; UNKNOWN, perhaps, also if the reply was late; DELIVERED, it was, and its handler failed. Dependent
     *     stages must not wait
     * @throws IllegalArgumentException if it is too long, or addressed to this node
     */
    public CompletableFuture<byte[]> request(NodeId to, byte[] request, Duration timeout) {
        RunningOperation.checkCall("Exon node " + to);
        return requests.request(to, request, timeout);
    }

    /** Hands a message to the node. Replies do not wait for the window: the delivery thread must go on. */
    void post(NodeId to, byte[] body, Duration timeout, boolean waits, Consumer<Outcome> completion) {
        if (to.equals(options.id())) {
            throw new IllegalArgumentException("a node sends nothing to itself: " + to);
        }
        checkLength(body);
        long deadlineNanos = System.nanoTime() + timeout.toNanos();
        if (closing || (waits && !acquire(to, body.length, loop.runsHere() ? System.nanoTime() : deadlineNanos))) {
            completion.accept(Outcome.NOT_SENT);
            return;
        }
        Consumer<Outcome> done = waits
                ? outcome -> {
                    windows.release(to, body.length);
                    completion.accept(outcome);
                }
                : completion;
        loop.submit(
                (core, now) -> {
                    long number = loop.expect(done);
                    if (!core.send(to, number, body, deadlineNanos / 1_000, now) && loop.forget(number)) {
                        done.accept(Outcome.NOT_SENT);
                    }
                },
                () -> done.accept(Outcome.NOT_SENT));
    }

    /** @throws IllegalArgumentException if the body is too long for a message */
    void checkLength(byte[] body) {
        if (body.length > options.core().maxMessageBytes()) {
            throw new IllegalArgumentException("a message has at most "
                    + (options.core().maxMessageBytes() - Requests.HEAD) + " bytes: " + (body.length - Requests.HEAD));
        }
    }

    private boolean acquire(NodeId to, int bytes, long deadlineNanos) {
        try {
            return windows.acquire(to, bytes, deadlineNanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void onClockStored(long bound) {
        loop.submit((core, now) -> core.onClockReserved(bound, now), () -> {});
    }

    /** Bytes of messages that have no outcome yet. */
    public long pendingBytes() {
        return windows.pending();
    }

    /** Figures of the node, read in its thread. The future fails if the endpoint is closed. */
    public CompletableFuture<ExonFigures> figures() {
        CompletableFuture<ExonFigures> figures = new CompletableFuture<>();
        loop.submit(
                (core, now) -> figures.complete(ExonFigures.of(core.counters(), loop.unsendable(), loop.links())),
                () -> figures.completeExceptionally(new IllegalStateException("the endpoint is closed")));
        return figures;
    }

    /** Its figures for monitoring, as of each question. Offer them by {@code Observation.offer} of amo-observe. */
    public Observed observed() {
        return new ObservedEndpoint(
                id(), new LatestFigures<>(ObservedEndpoint.NONE, this::figures), this::pendingBytes, () -> closing);
    }

    /** Waits up to so long for the outcomes of all messages, then closes. Returns whether all had one. */
    public boolean close(Duration flush) {
        closing = true;
        long end = System.nanoTime() + flush.toNanos();
        boolean flushed = windows.awaitEmpty(end);
        end();
        return flushed;
    }

    /**
     * Closes at once. Messages without an outcome are UNKNOWN, or NOT_SENT if the node had not taken them. With a durable inbox, waits
     * up to 5 s for the receiver to return; until it has, no other endpoint can open the inbox.
     */
    @Override
    public void close() {
        closing = true;
        end();
    }

    private void end() {
        loop.endNode();
        channel.close().awaitUninterruptibly(5, TimeUnit.SECONDS);
        loop.stopDeliveries();
        loops.close();
        loop.abort();
        requests.abort();
        clock.close();
    }
}
