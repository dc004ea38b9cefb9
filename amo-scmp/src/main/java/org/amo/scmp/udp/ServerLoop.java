package org.amo.scmp.udp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DatagramPacket;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.Promise;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.amo.base.wire.MalformedFrameException;
import org.amo.net.LoopErrors;
import org.amo.scmp.Call;
import org.amo.scmp.CallPeer;
import org.amo.scmp.ConnectionId;
import org.amo.scmp.Datagram;
import org.amo.scmp.RefusalReason;
import org.amo.scmp.Reply;
import org.amo.scmp.RpcCounters;
import org.amo.scmp.RpcDatagrams;
import org.amo.scmp.RpcServer;
import org.amo.scmp.RpcServerEffects;
import org.amo.scmp.udp.DropCounts.Cause;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads datagrams, hands them to the core and writes the answers: the event loop's side of a server. Everything runs on one
 * event loop, services in the pool excepted. Answers that the core asks for are written at once and flushed together.
 *
 * <p>Datagrams that arrive together share one reading of the clock, and an answer that fits goes out in the buffer that its
 * datagram came in: with null services these two were a tenth of the event loop's time.
 */
final class ServerLoop extends ChannelInboundHandlerAdapter implements RpcServerEffects {
    private static final Logger LOG = LoggerFactory.getLogger(ServerLoop.class);

    private final LoopErrors errors = new LoopErrors(LOG::error);
    private final ScmpServerOptions options;
    private final ServerSeals seals;
    private final Clocks clock;
    private final ExecutorService workers;
    private final StoreThread store;
    private final IntObjectMap<ScmpService> inline = new IntObjectHashMap<>();
    private final Promise<Boolean> ready = ImmediateEventExecutor.INSTANCE.newPromise();
    private final DropCounts dropped = new DropCounts();

    private @Nullable RpcServer core;
    private @Nullable ChannelHandlerContext context;
    private boolean runsInline;
    private boolean flushIsComing;

    /** Bytes of arguments that workers have or are to get. */
    private long queuedBytes;

    /** When the datagrams that are being read were found, 0 if none are. */
    private long batchMicros;

    /** The counters of the last tick, for threads that must not wait. */
    private volatile Optional<RpcCounters> told = Optional.empty();

    /** The sender of a datagram. State that changes with each call is here: references from young objects are cheaper. */
    private static final class Sender implements CallPeer {
        private final InetSocketAddress address;
        private final int mostReplyBytes;
        private final boolean underClientKey;

        /** The buffer that its datagram came in, while it is being answered. */
        private @Nullable ByteBuf spare;

        private Sender(InetSocketAddress address, int mostReplyBytes, boolean underClientKey, ByteBuf spare) {
            this.address = address;
            this.mostReplyBytes = mostReplyBytes;
            this.underClientKey = underClientKey;
            this.spare = spare;
        }

        @Override
        public int mostReplyBytes() {
            return mostReplyBytes;
        }
    }

    ServerLoop(ScmpServerOptions options, ServerSeals seals, Clocks clock, ExecutorService workers, StoreThread store) {
        this.options = options;
        this.seals = seals;
        this.clock = clock;
        this.workers = workers;
        this.store = store;
        options.inline().forEach(inline::put);
    }

    void core(RpcServer server) {
        core = server;
    }

    /** Done when calls can be accepted. */
    Future<Boolean> ready() {
        return ready;
    }

    DropCounts dropped() {
        return dropped;
    }

    /** The counters at the last tick; empty before the first. Any thread. */
    Optional<RpcCounters> told() {
        return told;
    }

    RpcCounters counters() {
        return server().counters();
    }

    /** Without ticks the bound of the timestamps would stay, and all calls be refused as too early. */
    void onTick() {
        errors.run(() -> {
            server().onTick(clock.micros());
            told = Optional.of(counters());
            if (options.stateFile().isEmpty()) {
                ready.trySuccess(true);
            }
        });
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
    }

    @Override
    public void channelRead(ChannelHandlerContext read, Object message) {
        DatagramPacket packet = (DatagramPacket) message;
        flushIsComing = true;
        if (batchMicros == 0) {
            batchMicros = clock.micros();
        }
        try {
            onDatagram(packet.sender(), packet.content(), batchMicros);
        } catch (MalformedFrameException e) {
            dropped.count(Cause.MALFORMED);
        } finally {
            packet.release();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext read) {
        batchMicros = 0;
        flush();
    }

    /** Of UDP sockets: an earlier datagram could not be delivered. Its client sends again. */
    @Override
    public void exceptionCaught(ChannelHandlerContext caught, Throwable cause) {
        errors.caught(cause);
        dropped.count(Cause.UNSENT);
    }

    private void onDatagram(InetSocketAddress sender, ByteBuf content, long nowMicros) {
        ByteBuffer bytes = Datagrams.view(content);
        int size = bytes.remaining();
        boolean underClientKey = ServerSeals.isUnderClientKey(bytes);
        Optional<DatagramSeal> seal = seals.of(bytes);
        if (seal.isEmpty() || !seal.get().open(bytes)) {
            dropped.count(Cause.FORGED);
            return;
        }
        Datagram datagram = RpcDatagrams.decode(bytes);
        int mostReplyBytes = seals.isKeyed() ? Integer.MAX_VALUE : size - RpcDatagrams.HEADER;
        Sender from = new Sender(sender, mostReplyBytes, underClientKey, content);
        try {
            onDatagram(from, datagram, nowMicros);
        } finally {
            from.spare = null;
        }
    }

    private void onDatagram(Sender from, Datagram datagram, long nowMicros) {
        ConnectionId connection = datagram.connection();
        long timestamp = datagram.timestampMicros();
        switch (datagram.kind()) {
            case CALL -> {
                if (queuedBytes + datagram.body().length > options.maxQueuedBytes()) {
                    // Lost as on the network: its client sends it again.
                    dropped.count(Cause.NO_ROOM);
                    return;
                }
                Call call = new Call(connection, timestamp, datagram.code(), datagram.body());
                server().onCall(from, call, nowMicros);
                if (runsInline) {
                    runsInline = false;
                    // It waits for nothing, so that the time its call came at is still good.
                    Reply reply = run(Objects.requireNonNull(inline.get(call.service())), call);
                    server().onExecuted(connection, timestamp, reply, nowMicros);
                }
            }
            case TRUNCATED_CALL -> server().onTruncatedCall(from, connection, timestamp, nowMicros);
            case REPLY_ACK -> server().onReplyAck(connection, timestamp);
            case REPLY, ACK, HELD, REFUSED -> dropped.count(Cause.MALFORMED);
        }
    }

    @Override
    public void execute(Call call) {
        if (inline.containsKey(call.service())) {
            // An effect must not call back: it runs when the core has returned.
            runsInline = true;
            return;
        }
        ScmpService service = Objects.requireNonNull(options.services().get(call.service()));
        queuedBytes += call.body().length;
        try {
            workers.execute(() -> {
                Reply reply = run(service, call);
                loop(() -> onExecuted(call, reply));
            });
        } catch (RejectedExecutionException e) {
            // The server is being closed; no client is answered any more.
            dropped.count(Cause.NO_ROOM);
        } catch (OutOfMemoryError e) {
            // The system gives no thread, say. Without an end the call would keep its room for ever.
            Reply reply = failed("it did not run, since the server had no thread for it: " + e.getMessage());
            loop(() -> onExecuted(call, reply));
        }
    }

    private void onExecuted(Call call, Reply reply) {
        queuedBytes -= call.body().length;
        server().onExecuted(call.connection(), call.timestampMicros(), reply, clock.micros());
    }

    // Any throwable of the service is its answer. A call without one would run for ever, to the client and in the core.
    @SuppressWarnings("IllegalCatch")
    private static Reply run(ScmpService service, Call call) {
        try {
            byte[] result =
                    Objects.requireNonNull(service.call(call.connection(), call.body()), "the service returned null");
            return result.length <= RpcDatagrams.MAX_BODY
                    ? new Reply(false, result)
                    : failed("its reply of " + result.length + " bytes does not fit one datagram; at most "
                            + RpcDatagrams.MAX_BODY + " are possible");
        } catch (Throwable e) {
            return failed(words(e));
        }
    }

    /** The throwable may be a class of the service, whose own words throw, too. */
    @SuppressWarnings("IllegalCatch")
    private static String words(Throwable thrown) {
        try {
            return String.valueOf(thrown);
        } catch (Throwable e) {
            return thrown.getClass().getName();
        }
    }

    private static Reply failed(String message) {
        byte[] text = message.substring(0, Math.min(message.length(), 1_000)).getBytes(StandardCharsets.UTF_8);
        return new Reply(true, text);
    }

    @Override
    public void storeLatest(long latestMicros) {
        store.store(
                latestMicros,
                () -> loop(() -> {
                    server().onLatestStored(latestMicros);
                    ready.trySuccess(true);
                }),
                () -> loop(() -> server().onStoreFailed()));
    }

    @Override
    public void reply(CallPeer to, ConnectionId connection, long timestampMicros, Reply reply) {
        write(
                to,
                connection,
                RpcDatagrams.HEADER + reply.body().length,
                out -> RpcDatagrams.reply(out, connection, timestampMicros, reply));
    }

    @Override
    public void acknowledge(CallPeer to, ConnectionId connection, long timestampMicros) {
        write(to, connection, RpcDatagrams.HEADER, out -> RpcDatagrams.ack(out, connection, timestampMicros));
    }

    @Override
    public void hold(CallPeer to, ConnectionId connection, long timestampMicros, int replyBytes) {
        write(
                to,
                connection,
                RpcDatagrams.MIN_REQUEST,
                out -> RpcDatagrams.held(out, connection, timestampMicros, replyBytes));
    }

    @Override
    public void refuse(
            CallPeer to,
            ConnectionId connection,
            long timestampMicros,
            RefusalReason reason,
            long serverMicros,
            long boundMicros) {
        write(
                to,
                connection,
                RpcDatagrams.MIN_REQUEST,
                out -> RpcDatagrams.refused(out, connection, timestampMicros, reason, serverMicros, boundMicros));
    }

    // A datagram that cannot be sent is lost, as on the network, and asked for again.
    @SuppressWarnings("FutureReturnValueIgnored")
    private void write(CallPeer to, ConnectionId connection, int most, Consumer<ByteBuffer> encoder) {
        ChannelHandlerContext out = Objects.requireNonNull(context);
        if (!out.channel().isWritable()) {
            out.flush();
        }
        if (!out.channel().isWritable()) {
            // The socket takes none: answers that wait here would have no bound.
            dropped.count(Cause.UNSENT);
            return;
        }
        Sender sender = (Sender) to;
        DatagramSeal seal = seals.ofAnswer(sender.underClientKey, connection.clientHigh());
        ByteBuf bytes = DatagramWriter.write(bufferFor(sender, out, most + seal.bytes()), seal, encoder);
        out.write(new DatagramPacket(bytes, sender.address), out.voidPromise());
        if (!flushIsComing) {
            flushIsComing = true;
            // Behind all other queued tasks, so that replies of many workers go out together.
            out.executor().execute(this::flush);
        }
    }

    /** The buffer that the sender's datagram came in, if the answer fits. */
    private static ByteBuf bufferFor(Sender to, ChannelHandlerContext out, int bytes) {
        ByteBuf used = to.spare;
        if (used == null || used.capacity() < bytes || used.refCnt() != 1 || used.nioBufferCount() != 1) {
            return out.alloc().directBuffer(bytes, bytes);
        }
        to.spare = null;
        return used.retain().clear();
    }

    private void flush() {
        flushIsComing = false;
        ChannelHandlerContext here = context;
        if (here != null) {
            here.flush();
        }
    }

    private void loop(Runnable task) {
        ChannelHandlerContext here = Objects.requireNonNull(context);
        if (!here.executor().isShuttingDown()) {
            here.executor().execute(task);
        }
    }

    private RpcServer server() {
        return Objects.requireNonNull(core);
    }
}
