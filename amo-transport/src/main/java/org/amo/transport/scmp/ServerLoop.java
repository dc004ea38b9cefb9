package org.amo.transport.scmp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DatagramPacket;
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
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.amo.core.scmp.ConnectionId;
import org.amo.core.scmp.rpc.Call;
import org.amo.core.scmp.rpc.Datagram;
import org.amo.core.scmp.rpc.Peer;
import org.amo.core.scmp.rpc.RefusalReason;
import org.amo.core.scmp.rpc.Reply;
import org.amo.core.scmp.rpc.RpcCounters;
import org.amo.core.scmp.rpc.RpcDatagrams;
import org.amo.core.scmp.rpc.RpcServer;
import org.amo.core.scmp.rpc.RpcServerEffects;
import org.amo.core.wire.MalformedFrameException;
import org.jspecify.annotations.Nullable;

/**
 * The event loop's side of a server: reads, hands to the core, writes. Everything runs on one event loop, services in the pool excepted. What
 * the core asks for while it runs is written at once and flushed together.
 */
final class ServerLoop extends ChannelInboundHandlerAdapter implements RpcServerEffects {
    private final ScmpServerOptions options;
    private final DatagramSeal seal;
    private final Clocks clock;
    private final ExecutorService workers;
    private final StoreThread store;
    private final Promise<Boolean> ready = ImmediateEventExecutor.INSTANCE.newPromise();
    private final AtomicLong dropped = new AtomicLong();

    private @Nullable RpcServer core;
    private @Nullable ChannelHandlerContext context;
    private @Nullable Call inlineCall;
    private boolean flushIsComing;

    private record Sender(InetSocketAddress address, int mostReplyBytes) implements Peer {}

    ServerLoop(ScmpServerOptions options, DatagramSeal seal, Clocks clock, ExecutorService workers, StoreThread store) {
        this.options = options;
        this.seal = seal;
        this.clock = clock;
        this.workers = workers;
        this.store = store;
    }

    void core(RpcServer server) {
        core = server;
    }

    /** Done when calls can be accepted. */
    Future<Boolean> ready() {
        return ready;
    }

    long dropped() {
        return dropped.get();
    }

    RpcCounters counters() {
        return server().counters();
    }

    void onTick() {
        server().onTick(clock.micros());
        if (options.stateFile().isEmpty()) {
            ready.trySuccess(true);
        }
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
    }

    @Override
    public void channelRead(ChannelHandlerContext read, Object message) {
        DatagramPacket packet = (DatagramPacket) message;
        flushIsComing = true;
        try {
            onDatagram(packet.sender(), Datagrams.view(packet.content()));
        } catch (MalformedFrameException e) {
            dropped.incrementAndGet();
        } finally {
            packet.release();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext read) {
        flush();
    }

    /** Of UDP sockets: an earlier datagram could not be delivered. Its client sends again. */
    @Override
    public void exceptionCaught(ChannelHandlerContext caught, Throwable cause) {
        if (cause instanceof Error error) {
            throw error;
        }
        dropped.incrementAndGet();
    }

    private void onDatagram(InetSocketAddress sender, ByteBuffer bytes) {
        int size = bytes.remaining();
        if (!seal.open(bytes)) {
            dropped.incrementAndGet();
            return;
        }
        Datagram datagram = RpcDatagrams.decode(bytes);
        int mostReplyBytes = seal.isKeyed() ? Integer.MAX_VALUE : size - RpcDatagrams.HEADER;
        ConnectionId connection = datagram.connection();
        long timestamp = datagram.timestampMicros();
        switch (datagram.kind()) {
            case CALL -> {
                Call call = new Call(connection, timestamp, datagram.code(), datagram.body());
                server().onCall(new Sender(sender, mostReplyBytes), call, clock.micros());
                runInline();
            }
            case TRUNCATED_CALL ->
                server().onTruncatedCall(new Sender(sender, mostReplyBytes), connection, timestamp, clock.micros());
            case REPLY_ACK -> server().onReplyAck(connection, timestamp);
            case REPLY, ACK, HELD, REFUSED -> dropped.incrementAndGet();
        }
    }

    @Override
    public void execute(Call call) {
        ScmpService inline = options.inline().get(call.service());
        if (inline != null) {
            // An effect must not call back: it runs when the core has returned.
            inlineCall = call;
            return;
        }
        ScmpService service = Objects.requireNonNull(options.services().get(call.service()));
        try {
            workers.execute(() -> {
                Reply reply = run(service, call);
                loop(() -> server().onExecuted(call.connection(), call.timestampMicros(), reply, clock.micros()));
            });
        } catch (RejectedExecutionException e) {
            // The server is being closed; nobody is answered any more.
            dropped.incrementAndGet();
        }
    }

    private void runInline() {
        Call call = inlineCall;
        if (call != null) {
            inlineCall = null;
            Reply reply = run(Objects.requireNonNull(options.inline().get(call.service())), call);
            server().onExecuted(call.connection(), call.timestampMicros(), reply, clock.micros());
        }
    }

    // Whatever a service throws is its answer: a call without one would run for ever in the eyes of its client.
    @SuppressWarnings("IllegalCatch")
    private static Reply run(ScmpService service, Call call) {
        byte[] result;
        try {
            result = service.call(call.connection(), call.body());
        } catch (Exception | StackOverflowError | AssertionError | LinkageError e) {
            return failed(e.toString());
        }
        return result.length <= RpcDatagrams.MAX_BODY
                ? new Reply(false, result)
                : failed("its reply of " + result.length + " bytes does not fit one datagram; at most "
                        + RpcDatagrams.MAX_BODY + " are possible");
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
    public void reply(Peer to, ConnectionId connection, long timestampMicros, Reply reply) {
        write(
                to,
                RpcDatagrams.HEADER + reply.body().length,
                out -> RpcDatagrams.reply(out, connection, timestampMicros, reply));
    }

    @Override
    public void acknowledge(Peer to, ConnectionId connection, long timestampMicros) {
        write(to, RpcDatagrams.HEADER, out -> RpcDatagrams.ack(out, connection, timestampMicros));
    }

    @Override
    public void hold(Peer to, ConnectionId connection, long timestampMicros, int replyBytes) {
        write(to, RpcDatagrams.MIN_REQUEST, out -> RpcDatagrams.held(out, connection, timestampMicros, replyBytes));
    }

    @Override
    public void refuse(
            Peer to,
            ConnectionId connection,
            long timestampMicros,
            RefusalReason reason,
            long serverMicros,
            long boundMicros) {
        write(
                to,
                RpcDatagrams.MIN_REQUEST,
                out -> RpcDatagrams.refused(out, connection, timestampMicros, reason, serverMicros, boundMicros));
    }

    // What cannot be sent is lost, as on the network, and asked for again.
    @SuppressWarnings("FutureReturnValueIgnored")
    private void write(Peer to, int most, Consumer<ByteBuffer> encoder) {
        ChannelHandlerContext out = Objects.requireNonNull(context);
        ByteBuf bytes = DatagramWriter.write(out.alloc(), seal, most, encoder);
        out.write(new DatagramPacket(bytes, ((Sender) to).address()), out.voidPromise());
        if (!flushIsComing) {
            flushIsComing = true;
            // Behind whatever else is queued, so that replies of many workers go out together.
            out.executor().execute(this::flush);
        }
    }

    private void flush() {
        flushIsComing = false;
        Optional.ofNullable(context).ifPresent(ChannelHandlerContext::flush);
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
