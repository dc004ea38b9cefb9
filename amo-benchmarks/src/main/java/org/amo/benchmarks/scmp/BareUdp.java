package org.amo.benchmarks.scmp;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.amo.scmp.udp.ScmpTransport;

/** Bare Netty UDP with the hand-over of a blocking stub: the caller's thread, the event loop, and back. Nothing is sent again. */
@SuppressWarnings("FutureReturnValueIgnored") // a datagram that cannot be sent is lost, and the call times out
final class BareUdp implements NullCall {
    private final Channel channel;
    private final AtomicReference<CompletableFuture<Integer>> waiting =
            new AtomicReference<>(new CompletableFuture<>());

    BareUdp(ScmpTransport transport, InetSocketAddress server) {
        channel = bootstrap(transport)
                .handler(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext context, Object message) {
                        DatagramPacket packet = (DatagramPacket) message;
                        int length = packet.content().readableBytes();
                        packet.release();
                        Objects.requireNonNull(waiting.get()).complete(length);
                    }
                })
                .connect(server)
                .syncUninterruptibly()
                .channel();
    }

    /** A server that sends back each datagram. */
    static Channel server(ScmpTransport transport, InetSocketAddress address) {
        return bootstrap(transport)
                .handler(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext context, Object message) {
                        DatagramPacket packet = (DatagramPacket) message;
                        context.write(new DatagramPacket(packet.content(), packet.sender()), context.voidPromise());
                    }

                    @Override
                    public void channelReadComplete(ChannelHandlerContext context) {
                        context.flush();
                    }
                })
                .bind(address)
                .syncUninterruptibly()
                .channel();
    }

    static Bootstrap bootstrap(ScmpTransport transport) {
        return transport.bootstrap(1 << 20);
    }

    @Override
    public void call() throws Exception {
        CompletableFuture<Integer> reply = new CompletableFuture<>();
        waiting.set(reply);
        channel.eventLoop().execute(() -> {
            ByteBuf request = channel.alloc().directBuffer(BYTES).writeZero(BYTES);
            channel.writeAndFlush(request, channel.voidPromise());
        });
        if (reply.get(TIMEOUT_SECONDS, TimeUnit.SECONDS) != BYTES) {
            throw new IllegalStateException("a reply of another size");
        }
    }

    @Override
    public void close() {
        channel.close().syncUninterruptibly();
    }
}
