package org.amo.dpg.udp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.amo.base.Experimental;
import org.amo.base.observe.Observed;
import org.amo.dpg.Tag;
import org.amo.net.LatestFigures;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a site of DPG on UDP (Konorski): sequencer-ordered multicast with insensitive membership. A {@link DpgSequencer}, or its
 * standby, must be there for messages to get their places. Messages of all sites are delivered at all present sites, in one order except in
 * rare scenarios. A site that comes or goes disturbs no other. There is no view, nothing to join and nothing to leave.
 *
 * <p>{@link org.amo.dpg.DpgSite} states the promises: quasi order, so not a basis for replicated state unless operations
 * commute. Nothing survives the end of the process; a message that was sent is delivered to all present sites unless its
 * sender goes before any other has it. The sender hears of it as of any other site's, with {@code own}, or of
 * {@link DpgReceiver#onUndetermined}. Any thread may call it; messages are delivered in the endpoint's own thread,
 * {@link DpgReceiver}.
 */
@Experimental
public final class DpgEndpoint implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DpgEndpoint.class);

    private final DpgEndpointOptions options;
    private final SiteLoop loop;
    private final UdpSocket socket;
    private final DpgNode node;
    private final Semaphore room;
    private volatile boolean closed;

    private DpgEndpoint(DpgEndpointOptions options, DpgReceiver receiver) throws IOException {
        this.options = options;
        this.room = new Semaphore(options.waiting());
        this.loop = new SiteLoop(options.sequencers(), options.node().core().absenceMicros(), room::release);
        SecureRandom random = new SecureRandom();
        this.node = new DpgNode(options.node(), new Guarded(receiver), loop, random::nextLong, loop.micros());
        loop.node(node);
        options.group().ifPresent(loop::addPeer);
        options.peers().forEach(loop::addPeer);
        this.socket = UdpSocket.open(
                "amo-dpg", options.listen(), options.socketBufferBytes(), options.group(), options.through(), loop);
        loop.begin(socket.channel());
    }

    /**
     * Starts a site: it listens for others, and begins a sequence of its own if there are none.
     *
     * @throws IOException in one line, if the address is taken or the group cannot be joined
     */
    public static DpgEndpoint open(DpgEndpointOptions options, DpgReceiver receiver) throws IOException {
        return new DpgEndpoint(options, receiver);
    }

    /** Where its socket is. */
    public InetSocketAddress address() {
        return socket.address();
    }

    /** Messages go there, too, from now on. */
    public void addPeer(InetSocketAddress peer) {
        loop.submit(() -> loop.addPeer(peer), () -> {});
    }

    /**
     * Sends a message to the group. Waits while too many wait to be sent.
     *
     * @return true if it is sent, or waits for it: {@link #close} drops messages that wait. False if there was no room within
     *     the time, or the endpoint is closed; then it is not sent. In the endpoint's own thread it does not wait
     * @throws IllegalArgumentException in one line, if it is too long
     */
    public boolean send(byte[] message, Duration timeout) throws InterruptedException {
        DpgNode.checkLength(options.node(), message.length);
        boolean taken = loop.inLoop() ? room.tryAcquire() : room.tryAcquire(timeout.toNanos(), TimeUnit.NANOSECONDS);
        if (!taken) {
            return false;
        }
        AtomicBoolean refused = new AtomicBoolean();
        if (closed) {
            refused.set(true);
        } else {
            byte[] copy = message.clone();
            loop.submit(() -> loop.take(copy), () -> refused.set(true));
        }
        if (refused.get()) {
            room.release(); // for the next sender that waits: it learns of the close
            return false;
        }
        return true;
    }

    /** Figures of the site, read in its thread. The future fails if the endpoint is closed. */
    public CompletableFuture<DpgMetrics> figures() {
        return asked(node::figures);
    }

    /** Whether the site has a place in the common sequence, asked in its thread. The future fails if the endpoint is closed. */
    public CompletableFuture<Boolean> anchored() {
        return asked(node::isAnchored);
    }

    /**
     * Its figures for monitoring, as of each question; it is ready once it has a place in the common sequence. Offer them by
     * {@code Observation.offer} of amo-observe.
     */
    public Observed observed() {
        return new ObservedSite(
                address(),
                new LatestFigures<>(ObservedSite.NONE, this::figures),
                new LatestFigures<>(false, this::anchored),
                () -> closed);
    }

    private <T> CompletableFuture<T> asked(Supplier<T> question) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        loop.submit(
                () -> answer.complete(question.get()),
                () -> answer.completeExceptionally(new IllegalStateException("the endpoint is closed")));
        return answer;
    }

    /** Leaves at once and tells no other site. Messages that wait are not sent. */
    @Override
    public void close() {
        closed = true;
        socket.close();
        loop.abort();
        room.release(options.waiting());
    }

    /** Logs exceptions of the application: the message is delivered, and the next one must be. */
    private record Guarded(DpgReceiver receiver) implements DpgReceiver {
        @Override
        public void onMessage(Tag tag, byte[] body, boolean own) {
            guard(() -> receiver.onMessage(tag, body, own));
        }

        @Override
        public void onDummy(Tag tag) {
            guard(() -> receiver.onDummy(tag));
        }

        @Override
        public void onSegment(Tag after) {
            guard(() -> receiver.onSegment(after));
        }

        @Override
        public void onUndetermined(byte[] body) {
            guard(() -> receiver.onUndetermined(body));
        }

        @SuppressWarnings("IllegalCatch")
        private static void guard(Runnable call) {
            try {
                call.run();
            } catch (RuntimeException | StackOverflowError | AssertionError e) {
                LOG.error("the receiver of a delivery threw", e);
            }
        }
    }
}
