package org.amo.exon.udp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DatagramPacket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.amo.exon.Address;
import org.amo.exon.ExonEffects;
import org.amo.exon.ExonNode;
import org.amo.exon.MessageName;
import org.amo.exon.NodeId;
import org.amo.exon.Outcome;
import org.amo.exon.udp.DurableInbox.Kept;
import org.amo.net.Inbox;
import org.amo.net.LoopErrors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The event loop's side of an endpoint: it alone touches the node. Other threads hand their inputs to a queue; one wake-up
 * takes all that wait, so that messages that are sent together travel together.
 */
final class EndpointLoop extends ChannelInboundHandlerAdapter implements ExonEffects {
    private static final Logger LOG = LoggerFactory.getLogger(EndpointLoop.class);
    private static final int INPUTS_AT_ONCE = 512;

    /** How often the loop looks which messages the application has taken, while it has some. */
    private static final long SETTLES_MICROS = 2_000;

    private final LoopErrors errors = new LoopErrors(LOG::error);
    private final Inbox<Waiting> inputs = new Inbox<>(input -> input.ifClosed.run());
    // The loop's, and at the end the closing thread's. Invariant: only the one that removes a completion tells it.
    private final Map<Long, Consumer<Outcome>> completions = new ConcurrentHashMap<>();
    private final Deliveries deliveries;
    private final ClockStore clockStore;

    private @Nullable ExonNode node;
    private Optional<SecureLinks> links = Optional.empty();
    private @Nullable ChannelHandlerContext context;
    private boolean readingDatagrams;
    private long tickNanos = Long.MAX_VALUE;
    private long lastMessage;
    private final AtomicLong unsendable = new AtomicLong();

    /** A task of another thread for the node. */
    @FunctionalInterface
    interface Input {
        void run(ExonNode node, long nowMicros);
    }

    /** An input that the loop has not taken, and what to do if it ends before. */
    private record Waiting(Input input, Runnable ifClosed) {}

    /** Stores the clock's bound in another thread, then hands an input in. */
    @FunctionalInterface
    interface ClockStore {
        void store(long bound);
    }

    /** A socket address as the core carries it. */
    record Place(InetSocketAddress socket) implements Address {}

    /** @param deliveries makes the way to the application; it is given the action that has this loop run */
    EndpointLoop(Function<Runnable, Deliveries> deliveries, ClockStore clockStore) {
        this.deliveries = deliveries.apply(this::wake);
        this.clockStore = clockStore;
    }

    /** Before the first input. */
    void node(ExonNode core) {
        node = core;
    }

    /** Before the first input: from now on datagrams are encrypted. */
    void encrypt(SecureKeys keys) {
        SecureLinks.Effects effects = new SecureLinks.Effects() {
            @Override
            public void send(Address to, byte[] datagram) {
                transmit(to, datagram);
            }

            @Override
            public void opened(Address from, byte[] datagram) {
                core().onDatagram(from, datagram, datagram.length, micros());
            }
        };
        links = Optional.of(new SecureLinks(keys, effects, new SecureRandom(), X25519::newKeyPair));
    }

    /** The encryption, if there is one. */
    Optional<SecureLinks> links() {
        return links;
    }

    static long micros() {
        return System.nanoTime() / 1_000;
    }

    /**
     * Any thread.
     *
     * @param ifClosed runs instead of the input if the loop has ended or ends first, in this thread or the one that closes
     */
    void submit(Input input, Runnable ifClosed) {
        inputs.put(new Waiting(input, ifClosed));
        if (!inputs.hasEnded()) {
            wake();
        }
    }

    private void wake() {
        ChannelHandlerContext here = context;
        if (here != null && !here.executor().isShuttingDown() && inputs.wake()) {
            try {
                here.executor().execute(this::run);
            } catch (RejectedExecutionException e) {
                LOG.trace("closed; what waits is refused");
            }
        }
    }

    /** Whether the caller is the loop's thread, which must not wait. */
    boolean runsHere() {
        ChannelHandlerContext here = context;
        return here != null && here.executor().inEventLoop();
    }

    /** In the loop: registers the completion for the outcome of a message. Returns the message's number. */
    long expect(Consumer<Outcome> completion) {
        completions.put(++lastMessage, completion);
        return lastMessage;
    }

    /** Returns false if the completion has its outcome. */
    boolean forget(long message) {
        return completions.remove(message) != null;
    }

    private void run() {
        inputs.awake();
        drain();
        afterInputs();
    }

    private void drain() {
        long now = micros();
        deliveries.settle(core(), now);
        int units = deliveries.room().take();
        if (units > 0) {
            core().onTaken(units, now);
        }
        for (int i = 0; i < INPUTS_AT_ONCE; i++) {
            Waiting next = inputs.poll();
            if (next == null) {
                return;
            }
            if (inputs.hasEnded()) {
                next.ifClosed.run();
                continue;
            }
            next.input.run(core(), now);
            if (inputs.hasEnded()) {
                completeAll(); // of this input, too: the closing thread did not wait for a loop that stood still
            }
        }
        wake();
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
    }

    /** The socket is bound: inputs that came before are run. */
    @Override
    public void channelActive(ChannelHandlerContext active) {
        wake();
    }

    @Override
    public void channelRead(ChannelHandlerContext read, Object message) {
        DatagramPacket packet = (DatagramPacket) message;
        readingDatagrams = true;
        try {
            ByteBuf content = packet.content();
            byte[] bytes = new byte[content.readableBytes()];
            content.readBytes(bytes);
            Place from = new Place(packet.sender());
            if (links.isPresent()) {
                links.get().onDatagram(from, bytes, micros());
            } else {
                core().onDatagram(from, bytes, bytes.length, micros());
            }
        } finally {
            packet.release();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext read) {
        if (readingDatagrams) {
            readingDatagrams = false;
            deliveries.handOver(); // first: answers of an application in this loop leave with this batch
            drain();
            afterInputs();
        }
    }

    /** Of UDP sockets: an earlier datagram could not be delivered. It counts as lost. */
    @Override
    public void exceptionCaught(ChannelHandlerContext caught, Throwable cause) {
        errors.caught(cause);
        unsendable.incrementAndGet();
    }

    private void afterInputs() {
        core().flush(micros());
        ChannelHandlerContext here = Objects.requireNonNull(context);
        here.flush();
        if (deliveries.room().want(core().wantsRoom())) {
            wake();
        }
        // A message that the application took is told of when it takes the next, which may be slow.
        long deadline = Math.min(core().nextDeadline(), deliveries.busy() ? micros() + SETTLES_MICROS : Long.MAX_VALUE);
        if (links.isPresent()) {
            deadline = Math.min(deadline, links.get().nextDeadline());
        }
        if (deadline == Long.MAX_VALUE) {
            return;
        }
        long at = deadline * 1_000;
        if (at < tickNanos) {
            tickNanos = at;
            long delay = Math.max(0, at - System.nanoTime());
            Future<?> unused =
                    here.executor().schedule(() -> errors.run(() -> onTick(at)), delay, TimeUnit.NANOSECONDS);
        }
    }

    private void onTick(long at) {
        if (tickNanos == at) {
            tickNanos = Long.MAX_VALUE;
            core().onTick(micros());
            if (links.isPresent()) {
                links.get().onTick(micros());
            }
            drain();
            afterInputs();
        }
    }

    @Override
    public void transmit(NodeId peer, Address to, byte[] datagram) {
        if (links.isPresent()) {
            links.get().transmit(peer, to, datagram, micros());
        } else {
            transmit(to, datagram);
        }
    }

    @Override
    public void transmit(Address to, byte[] datagram) {
        ChannelHandlerContext here = Objects.requireNonNull(context);
        if (!here.channel().isWritable()) {
            // A late loop makes good more than the channel gathers. The socket takes it: a datagram dropped here would
            // count as the network's loss.
            here.flush();
        }
        if (!here.channel().isWritable()) {
            unsendable.incrementAndGet();
            return;
        }
        InetSocketAddress socket = ((Place) to).socket();
        ChannelFuture unused =
                here.write(new DatagramPacket(Unpooled.wrappedBuffer(datagram), socket), here.voidPromise());
    }

    @Override
    public void deliver(MessageName delivery, byte[] message) {
        deliveries.gather(delivery, message);
    }

    @Override
    public void completed(long message, Outcome outcome) {
        Consumer<Outcome> completion = completions.remove(message);
        if (completion != null) {
            completion.accept(outcome);
        }
    }

    @Override
    public void reserveClock(long bound) {
        clockStore.store(bound);
    }

    /** Any thread, before the channel closes: the node gives back the slots that it will not use. From the loop itself too late. */
    void endNode() {
        ChannelHandlerContext here = context;
        if (here == null) {
            return;
        }
        try {
            here.executor()
                    .execute(() -> errors.run(() -> {
                        core().close(micros());
                        here.flush();
                    }));
        } catch (RejectedExecutionException e) {
            LOG.trace("closed");
        }
    }

    /**
     * After the loop has ended, or has stood still for too long: inputs that wait, and later ones, are refused. Messages without
     * an outcome get UNKNOWN, since no outcome will come.
     */
    void abort() {
        inputs.end();
        completeAll();
    }

    private void completeAll() {
        completions.keySet().forEach(message -> completed(message, Outcome.UNKNOWN));
    }

    /**
     * Starts the threads of the application and its inbox, if it has any.
     *
     * @throws IOException in one line, if the system gives none
     */
    void startDeliveries() throws IOException {
        deliveries.start();
    }

    /** Before the first datagram: messages of former processes, which take room until the application has them. */
    void handOverKept(List<Kept> messages, int unitBytes) {
        core().onKept(messages.stream().mapToInt(kept -> kept.units(unitBytes)).sum());
        deliveries.handOverKept(messages, unitBytes);
    }

    /** Stops handing messages to the application. */
    void stopDeliveries() {
        deliveries.close();
    }

    /** Datagrams that the socket did not take. */
    long unsendable() {
        return unsendable.get();
    }

    private ExonNode core() {
        return Objects.requireNonNull(node);
    }
}
