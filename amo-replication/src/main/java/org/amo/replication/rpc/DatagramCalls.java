package org.amo.replication.rpc;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DatagramPacket;
import java.net.PortUnreachableException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.amo.base.ClientId;
import org.amo.core.client.Attempt;
import org.amo.core.datagram.CallDatagrams;
import org.amo.core.datagram.ClientDatagrams;
import org.amo.core.request.Answer;
import org.amo.core.sack.FinishedNumbers;
import org.amo.net.LoopErrors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a client's calls to members as datagrams, and reads the answers. It has one socket for each member that got one: the system
 * then drops datagrams of other senders, and tells that a port is closed. Nothing is sent again here.
 *
 * <p>The transport's thread owns it and makes all calls of its listener.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a datagram that cannot be sent is lost, as on the network
public final class DatagramCalls {
    private static final Logger LOG = LoggerFactory.getLogger(DatagramCalls.class);
    private static final int BUFFER_BYTES = 1 << 18;

    private final RpcTransport transport;
    private final OfEachSecret<ClientDatagrams> datagrams;
    private final Listener listener;
    private final LoopErrors errors = new LoopErrors(LOG::error);
    private final Map<Integer, ChannelFuture> sockets = new HashMap<>();

    /** Of all members together, since they share the key. */
    private long sent;

    /** Hears the answers. */
    public interface Listener {
        /** The answer to an attempt. */
        void onAnswer(int member, long copy, Answer answer);

        /**
         * The member has the attempt, and sends no answer by a datagram.
         *
         * @param stays whether the same member answers over a connection
         */
        void onTurnedAway(int member, long copy, boolean stays);

        /** The system says that no process takes datagrams there. */
        void onRefused(int member);

        /** All that was there has been told. */
        void onBatchEnd();
    }

    /** @param client the sender; no other process sends datagrams in its name */
    public DatagramCalls(
            RpcTransport transport, ClientId client, String group, Optional<RpcKey> key, Listener listener) {
        this.transport = transport;
        this.datagrams = new OfEachSecret<>(key, keys -> new ClientDatagrams(client, group, keys, () -> ++sent));
        this.listener = listener;
    }

    /** Whether a request of so many bytes fits a datagram. */
    public static boolean fits(int bodyBytes) {
        return ClientDatagrams.fits(bodyBytes);
    }

    /** Sends an attempt of this client. */
    public void send(int member, RpcPeer peer, Attempt attempt) {
        write(member, peer, datagrams.first().call(attempt));
    }

    /** Sends acknowledgements alone. */
    public void acknowledge(int member, RpcPeer peer, long timestampMillis, FinishedNumbers finished) {
        datagrams.first().finished(timestampMillis, finished).ifPresent(datagram -> write(member, peer, datagram));
    }

    /** Another member has this number from now on. */
    public void leave(int member) {
        Optional.ofNullable(sockets.remove(member))
                .ifPresent(socket -> socket.channel().close());
    }

    /** Lets everything leave, and ends. */
    public void close() {
        sockets.values().forEach(socket -> socket.channel().close());
        sockets.clear();
    }

    private void write(int member, RpcPeer peer, byte[] datagram) {
        ChannelFuture socket = sockets.computeIfAbsent(member, number -> open(number, peer));
        if (socket.isSuccess()) {
            socket.channel().writeAndFlush(Unpooled.wrappedBuffer(datagram));
        } else if (!socket.isDone()) {
            socket.addListener(
                    (ChannelFutureListener) opened -> opened.channel().writeAndFlush(Unpooled.wrappedBuffer(datagram)));
        }
    }

    private ChannelFuture open(int member, RpcPeer peer) {
        ChannelFuture socket =
                transport.datagrams(BUFFER_BYTES).handler(new Answers(member)).connect(peer.host(), peer.port());
        socket.addListener((ChannelFutureListener) opened -> {
            if (opened.isSuccess()) {
                transport.opened(opened.channel());
            } else {
                sockets.remove(member);
                errors.run(() -> listener.onRefused(member));
            }
        });
        return socket;
    }

    private final class Answers extends ChannelInboundHandlerAdapter {
        private final int member;

        Answers(int member) {
            this.member = member;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            DatagramPacket packet = (DatagramPacket) message;
            try {
                byte[] bytes = new byte[packet.content().readableBytes()];
                packet.content().readBytes(bytes);
                errors.run(() -> datagrams.all().stream()
                        .flatMap(each -> each.answer(bytes).stream())
                        .findFirst()
                        .ifPresent(this::tell));
            } finally {
                packet.release();
            }
        }

        private void tell(CallDatagrams.Answered answered) {
            answered.answer()
                    .ifPresentOrElse(
                            answer -> listener.onAnswer(member, answered.copy(), answer),
                            () -> listener.onTurnedAway(
                                    member, answered.copy(), answered.form() == CallDatagrams.Form.BY_CONNECTION));
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            errors.run(listener::onBatchEnd);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            if (cause instanceof PortUnreachableException) {
                errors.run(() -> listener.onRefused(member));
            } else {
                errors.caught(cause);
            }
        }
    }
}
