package org.amo.dpg.udp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.amo.net.Inbox;
import org.amo.net.LoopErrors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The event loop's side of an endpoint: it alone touches the node. Other threads hand their inputs to a queue; one wake-up takes all
 * that wait.
 */
@Sharable
final class SiteLoop extends ChannelInboundHandlerAdapter implements DpgNodeEffects {
    private static final Logger LOG = LoggerFactory.getLogger(SiteLoop.class);

    private final LoopErrors errors = new LoopErrors(LOG::error);
    private final long startNanos = System.nanoTime();
    private final List<InetSocketAddress> group = new ArrayList<>();
    private final List<InetSocketAddress> sequencers;
    private final Runnable admitted;
    private final Inbox<Waiting> inputs = new Inbox<>(input -> input.ifClosed.run());
    /** Messages that the admission buffers have not taken yet; bounded by the permits of the senders. */
    private final ArrayDeque<byte[]> waiting = new ArrayDeque<>();

    private @Nullable DpgNode node;
    private volatile @Nullable Channel channel;
    private long tickNanos = Long.MAX_VALUE;

    private final long absenceMicros;
    private final Set<Channel> sockets = new HashSet<>();
    /** Sockets that have not been read empty since this thread stood still: the datagrams in them are out of date. */
    private final Set<Channel> outOfDate = new HashSet<>();

    private long inputMicros;
    private long dropUntilMicros;
    private int readAtOnce;
    private long dropped;

    /** An input that the loop has not taken, and its substitute if the loop ends before. */
    private record Waiting(Runnable input, Runnable ifClosed) {}

    /**
     * @param admitted told for each message that the admission buffers took
     * @param absenceMicros after so long without an input this site was absent
     */
    SiteLoop(List<InetSocketAddress> sequencers, long absenceMicros, Runnable admitted) {
        this.sequencers = sequencers;
        this.absenceMicros = absenceMicros;
        this.admitted = admitted;
    }

    /** Before the first input. */
    void node(DpgNode value) {
        node = value;
    }

    /** The socket is there. Inputs that came before it wait. */
    void begin(Channel open) {
        channel = open;
        open.eventLoop().execute(() -> inputMicros = micros());
        wake();
    }

    long micros() {
        return (System.nanoTime() - startNanos) / 1_000;
    }

    /**
     * Any thread.
     *
     * @param ifClosed runs instead of the input if the loop has ended or ends first, in this thread or the one that closes
     */
    void submit(Runnable input, Runnable ifClosed) {
        inputs.put(new Waiting(input, ifClosed));
        if (!inputs.hasEnded()) {
            wake();
        }
    }

    private void wake() {
        Channel open = channel;
        if (open != null && !open.eventLoop().isShuttingDown() && inputs.wake()) {
            try {
                open.eventLoop().execute(this::run);
            } catch (RejectedExecutionException e) {
                LOG.trace("closed; inputs that wait are refused");
            }
        }
    }

    /** After the loop has ended: inputs that wait, and later ones, are refused. */
    void abort() {
        inputs.end();
    }

    /** In the loop: datagrams that were dropped since they had lain unread while this thread stood still. */
    long dropped() {
        return dropped;
    }

    boolean inLoop() {
        Channel open = channel;
        return open != null && open.eventLoop().inEventLoop();
    }

    /** In the loop: where messages go, too. */
    void addPeer(InetSocketAddress address) {
        if (!group.contains(address)) {
            group.add(address);
        }
    }

    /** In the loop. */
    void take(byte[] body) {
        waiting.add(body);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        sockets.add(context.channel());
    }

    /**
     * Before each input. After a pause longer than an absence, unread datagrams in the sockets are dropped: old reports
     * would give this site a place where no site keeps the messages any more.
     */
    private void onInput() {
        long now = micros();
        if (channel != null && now - inputMicros > absenceMicros) {
            outOfDate.addAll(sockets);
            dropUntilMicros = now + absenceMicros;
            core().onStoodStill(now);
        }
        inputMicros = now;
    }

    private void run() {
        inputs.awake();
        onInput();
        drain();
        afterInputs();
    }

    private void drain() {
        for (Waiting next = inputs.poll(); next != null; next = inputs.poll()) {
            next.input.run();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        DatagramPacket packet = (DatagramPacket) message;
        try {
            onInput();
            readAtOnce++;
            if (outOfDate.contains(context.channel())) {
                dropped++;
                return;
            }
            ByteBuf content = packet.content();
            byte[] bytes = new byte[content.readableBytes()];
            content.readBytes(bytes);
            core().onDatagram(bytes, micros());
        } finally {
            packet.release();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (readAtOnce < UdpSocket.AT_ONCE || inputMicros >= dropUntilMicros) {
            outOfDate.remove(context.channel());
        }
        readAtOnce = 0;
        if (channel != null) {
            afterInputs();
        }
    }

    /** Of UDP sockets: an earlier datagram could not be delivered. It counts as lost. */
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        errors.caught(cause);
    }

    private void afterInputs() {
        long now = micros();
        while (!waiting.isEmpty() && core().submit(waiting.element(), now)) {
            waiting.remove();
            admitted.run();
        }
        core().flush(now);
        Channel open = Objects.requireNonNull(channel);
        open.flush();
        long deadline = core().nextDeadline();
        if (deadline == Long.MAX_VALUE || open.eventLoop().isShuttingDown()) {
            return;
        }
        long at = startNanos + deadline * 1_000;
        if (tickNanos == Long.MAX_VALUE || at - tickNanos < 0) {
            tickNanos = at;
            long delay = Math.max(0, at - System.nanoTime());
            Future<?> unused =
                    open.eventLoop().schedule(() -> errors.run(() -> onTick(at)), delay, TimeUnit.NANOSECONDS);
        }
    }

    private void onTick(long at) {
        if (tickNanos == at) {
            tickNanos = Long.MAX_VALUE;
            onInput();
            core().onTick(micros());
            drain();
            afterInputs();
        }
    }

    @Override
    public void toGroup(byte[] datagram) {
        for (InetSocketAddress each : group) {
            send(each, datagram);
        }
    }

    @Override
    public void toSequencer(int index, byte[] datagram) {
        send(sequencers.get(index), datagram);
    }

    private void send(InetSocketAddress to, byte[] datagram) {
        Channel open = channel;
        if (open != null && !open.isWritable()) {
            open.flush();
        }
        if (open == null || !open.isWritable()) {
            return; // as the network loses one
        }
        ChannelFuture unused = open.write(new DatagramPacket(Unpooled.wrappedBuffer(datagram), to), open.voidPromise());
    }

    private DpgNode core() {
        return Objects.requireNonNull(node);
    }
}
