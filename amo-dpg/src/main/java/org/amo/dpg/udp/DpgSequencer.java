package org.amo.dpg.udp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DatagramPacket;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.amo.base.wire.Secrets;
import org.amo.net.EventLoops;
import org.amo.net.LoopErrors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tag sequencer of Konorski, section 3.3, on UDP: numbers the tags that sites send and tells all sites that were heard lately. Of
 * several, the first that the sites' settings name is asked; when it numbers nothing for so long, the sites turn to the next, which
 * then begins a higher epoch. It keeps nothing on disk; one that is started again begins anew.
 *
 * <p>It sees tags that look random, and no messages. One thread of its own does all.
 */
public final class DpgSequencer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DpgSequencer.class);

    private final UdpSocket socket;
    private final Handler handler;

    private DpgSequencer(UdpSocket socket, Handler handler) {
        this.socket = socket;
        this.handler = handler;
    }

    /**
     * How a sequencer runs.
     *
     * @param listen where its socket is; port 0 for any. Default any port of the loopback
     * @param index its place in the settings of the sites, from 0
     * @param secret the sequencers' secret, or the group's where it has no own
     */
    public record Options(InetSocketAddress listen, int index, String secret) {
        /** @throws IllegalArgumentException for an index below 0 or a secret that is too short */
        public Options {
            if (index < 0 || index >= SequencerNode.MOST) {
                throw new IllegalArgumentException(
                        "a sequencer's index is 0 to " + (SequencerNode.MOST - 1) + ": " + index);
            }
            Secrets.check(secret, "the secret of the sequencers");
        }

        public static Builder builder(int index, String secret) {
            return new Builder(index, secret);
        }

        /** Collects options; {@link #build} checks them. */
        public static final class Builder {
            private final int index;
            private final String secret;
            private InetSocketAddress listen = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

            private Builder(int index, String secret) {
                this.index = index;
                this.secret = secret;
            }

            public Builder listen(InetSocketAddress address) {
                listen = address;
                return this;
            }

            /** @throws IllegalArgumentException naming the setting that does not fit */
            public Options build() {
                return new Options(listen, index, secret);
            }
        }
    }

    /** @throws IOException in one line, if the address is taken */
    public static DpgSequencer open(Options options) throws IOException {
        Handler handler = new Handler(options);
        UdpSocket socket = UdpSocket.open(
                "amo-dpg-tags", options.listen(), 4 << 20, Optional.empty(), InetAddress.getLoopbackAddress(), handler);
        return new DpgSequencer(socket, handler);
    }

    /** Where sites find it. */
    public InetSocketAddress address() {
        return socket.address();
    }

    /** Figures, read in its thread. The future fails if it is closed. */
    public CompletableFuture<SequencerNode.Figures> figures() {
        CompletableFuture<SequencerNode.Figures> figures = new CompletableFuture<>();
        Runnable closed = () -> figures.completeExceptionally(new IllegalStateException("the tag sequencer is closed"));
        if (!EventLoops.execute(socket.channel().eventLoop(), () -> figures.complete(handler.figures()), closed)) {
            closed.run();
        }
        return figures;
    }

    /** Ends at once; the sites turn to the next one. */
    @Override
    public void close() {
        socket.close();
    }

    @Sharable
    private static final class Handler extends ChannelInboundHandlerAdapter {
        private final LoopErrors errors = new LoopErrors(LOG::error);
        private final SequencerNode<InetSocketAddress> node;
        private final long startNanos = System.nanoTime();

        Handler(Options options) {
            SecureRandom random = new SecureRandom();
            node = new SequencerNode<>(options.secret(), options.index(), System.currentTimeMillis(), random::nextLong);
        }

        private long micros() {
            return (System.nanoTime() - startNanos) / 1_000;
        }

        SequencerNode.Figures figures() {
            return node.figures(micros());
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            DatagramPacket packet = (DatagramPacket) message;
            try {
                ByteBuf content = packet.content();
                byte[] bytes = new byte[content.readableBytes()];
                content.readBytes(bytes);
                node.onDatagram(packet.sender(), bytes, micros());
            } finally {
                packet.release();
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            Channel channel = context.channel();
            for (byte[] datagram : node.take()) {
                for (InetSocketAddress site : node.subscribers(micros())) {
                    // Numbers that the socket does not take are lost, and repeated with the next ones.
                    ChannelFuture unused = channel.write(
                            new DatagramPacket(Unpooled.wrappedBuffer(datagram), site), channel.voidPromise());
                }
            }
            channel.flush();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            errors.caught(cause);
        }
    }
}
