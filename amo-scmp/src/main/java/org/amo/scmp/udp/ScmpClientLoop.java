package org.amo.scmp.udp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DatagramPacket;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.amo.base.ClientId;
import org.amo.base.wire.MalformedFrameException;
import org.amo.net.LoopErrors;
import org.amo.scmp.Call;
import org.amo.scmp.CallListener;
import org.amo.scmp.CallOutcome;
import org.amo.scmp.ConnectionId;
import org.amo.scmp.Datagram;
import org.amo.scmp.RefusalReason;
import org.amo.scmp.Reply;
import org.amo.scmp.RpcClient;
import org.amo.scmp.RpcClientEffects;
import org.amo.scmp.RpcClientOptions;
import org.amo.scmp.RpcDatagrams;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The event loop's side of a client: owns its core, reads and writes its socket. All but the constructor runs on the loop. */
final class ScmpClientLoop extends ChannelInboundHandlerAdapter implements RpcClientEffects {
    private static final Logger LOG = LoggerFactory.getLogger(ScmpClientLoop.class);
    private static final long TICK_MILLIS = 5;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final LoopErrors errors = new LoopErrors(LOG::error);
    private final DatagramSeal seal;
    private final Clocks clock;
    private final RpcClient core;

    private @Nullable ChannelHandlerContext context;
    private boolean flushIsComing;
    private boolean ticking;
    private boolean closed;
    private volatile boolean renewing;

    /** @param credential of a client with a key of its own, which is named in its ids; their rest is random */
    ScmpClientLoop(RpcClientOptions options, DatagramSeal seal, Optional<ScmpCredential> credential, Clocks clock) {
        this.seal = seal;
        this.clock = clock;
        Optional<Long> named = credential.map(each -> ScmpCredential.clientHigh(each.client()));
        this.core =
                new RpcClient(options, () -> new ClientId(named.orElseGet(RANDOM::nextLong), RANDOM.nextLong()), this);
    }

    void begin(int service, byte[] arguments, long timeoutMicros, CallListener listener) {
        if (closed) {
            listener.onOutcome(new CallOutcome(CallOutcome.Kind.NOT_EXECUTED, Optional.empty(), new byte[0]));
            return;
        }
        if (renewing) {
            renewing = false;
            core.renew();
        }
        if (!ticking) {
            scheduleTick(); // first: if memory for the datagram is short, the call still ends at its time
            ticking = true;
        }
        core.begin(service, arguments, timeoutMicros, listener, clock.micros());
    }

    /** In any thread. */
    void renew() {
        renewing = true;
    }

    void close() {
        closed = true;
        core.close();
        flush();
    }

    // The tick ends with the event loop, and no thread waits for it.
    @SuppressWarnings("FutureReturnValueIgnored")
    private void scheduleTick() {
        Objects.requireNonNull(context).executor().schedule(this::onTick, TICK_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Without ticks no call would end that is not answered. */
    private void onTick() {
        errors.run(() -> core.onTick(clock.micros()));
        ticking = core.needsTicks() && !closed;
        if (ticking) {
            scheduleTick();
        }
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
    }

    @Override
    public void channelRead(ChannelHandlerContext read, Object message) {
        DatagramPacket packet = (DatagramPacket) message;
        try {
            ByteBuffer bytes = Datagrams.view(packet.content());
            if (seal.open(bytes)) {
                onDatagram(RpcDatagrams.decode(bytes));
            }
        } catch (MalformedFrameException e) {
            // The sender is not our server; the awaited datagrams will be sent again.
            flush();
        } finally {
            packet.release();
        }
    }

    /** The socket is gone, perhaps with the event loops that it shared: no call under way gets its reply any more. */
    @Override
    public void channelInactive(ChannelHandlerContext gone) {
        close();
    }

    private void onDatagram(Datagram datagram) {
        ConnectionId connection = datagram.connection();
        long timestamp = datagram.timestampMicros();
        switch (datagram.kind()) {
            case REPLY ->
                core.onReply(connection, timestamp, new Reply(datagram.code() == 1, datagram.body()), clock.micros());
            case ACK -> core.onAck(connection, timestamp);
            case HELD -> core.onHeld(connection, timestamp, (int) datagram.first(), clock.micros());
            case REFUSED ->
                core.onRefused(
                        connection,
                        timestamp,
                        RefusalReason.ofCode(datagram.code()).orElseThrow(),
                        datagram.first(),
                        datagram.second(),
                        clock.micros());
            case CALL, TRUNCATED_CALL, REPLY_ACK -> {}
        }
    }

    /** Of UDP sockets: the server's port is closed, it may be starting. The call is sent again. */
    @Override
    public void exceptionCaught(ChannelHandlerContext caught, Throwable cause) {
        errors.caught(cause);
    }

    @Override
    public void call(Call call, int roomForReplyBytes) {
        int content = Math.max(call.body().length, roomForReplyBytes);
        write(
                Math.max(RpcDatagrams.MIN_REQUEST, RpcDatagrams.HEADER + content),
                out -> RpcDatagrams.call(out, call, roomForReplyBytes));
    }

    @Override
    public void truncatedCall(ConnectionId connection, long timestampMicros, int roomForReplyBytes) {
        write(
                Math.max(RpcDatagrams.MIN_REQUEST, RpcDatagrams.HEADER + roomForReplyBytes),
                out -> RpcDatagrams.truncatedCall(out, connection, timestampMicros, roomForReplyBytes));
    }

    @Override
    public void replyAck(ConnectionId connection, long timestampMicros) {
        write(RpcDatagrams.MIN_REQUEST, out -> RpcDatagrams.replyAck(out, connection, timestampMicros));
    }

    // A datagram that cannot be sent is lost, as on the network, and sent again.
    @SuppressWarnings("FutureReturnValueIgnored")
    private void write(int most, Consumer<ByteBuffer> encoder) {
        ChannelHandlerContext out = Objects.requireNonNull(context);
        if (!out.channel().isWritable()) {
            out.flush();
        }
        if (!out.channel().isWritable()) {
            return; // the socket takes none: calls that wait here, and their retries, would have no bound
        }
        int room = most + seal.bytes();
        ByteBuf bytes = DatagramWriter.write(out.alloc().directBuffer(room, room), seal, encoder);
        out.write(bytes, out.voidPromise());
        if (!flushIsComing) {
            flushIsComing = true;
            // Behind the calls that other threads have queued meanwhile, so that they go out together.
            out.executor().execute(this::flush);
        }
    }

    private void flush() {
        flushIsComing = false;
        Optional.ofNullable(context).ifPresent(ChannelHandlerContext::flush);
    }
}
