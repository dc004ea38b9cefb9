package org.amo.benchmarks.exon;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.RawUnixChannelOption;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.amo.benchmarks.link.LinkEmulator;

/**
 * TCP: one connection that all actors share. A message is its length and its actor's number, four bytes each, and the
 * body. The kernel's congestion control is chosen for each socket, at both ends.
 */
final class TcpStack implements Stack {
    private static final int IPPROTO_TCP = 6;
    private static final int TCP_CONGESTION = 13;
    private static final int NAME_BYTES = 16;
    private static final RawUnixChannelOption CONGESTION =
            new RawUnixChannelOption("TCP_CONGESTION", IPPROTO_TCP, TCP_CONGESTION, NAME_BYTES);
    private static final int HEAD = 8;
    private static final int BATCH = 64;
    private static final long WAIT_SECONDS = 20;

    private final String control;

    TcpStack(String control) {
        this.control = control;
    }

    @Override
    public String name() {
        return "tcp " + control;
    }

    @Override
    public Flow oneWay(LinkEmulator link, int bytes) throws Exception {
        return new Connection(link, bytes, 0);
    }

    @Override
    public Flow calls(LinkEmulator link, int bytes, int actors) throws Exception {
        return new Connection(link, bytes, actors);
    }

    private ByteBuffer congestion() {
        return ByteBuffer.wrap(Arrays.copyOf(control.getBytes(StandardCharsets.US_ASCII), NAME_BYTES));
    }

    private static EventLoopGroup loop(String name) {
        return new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory(name, true), EpollIoHandler.newFactory());
    }

    private static Channel await(ChannelFuture future) throws IOException {
        if (!future.awaitUninterruptibly(WAIT_SECONDS, TimeUnit.SECONDS) || !future.isSuccess()) {
            throw new IOException("no TCP connection over the link: " + future.cause());
        }
        return future.channel();
    }

    private static void write(ChannelHandlerContext context, int actor, byte[] body) {
        ByteBuf message = context.alloc().buffer(HEAD + body.length);
        message.writeInt(body.length).writeInt(actor).writeBytes(body);
        ChannelFuture unused = context.write(message, context.voidPromise());
    }

    /** One end. Trouble counts only while the flow is open: it ends by a reset. */
    private abstract static class End extends ChannelInboundHandlerAdapter {
        private final Consumer<String> trouble;

        End(Consumer<String> trouble) {
            this.trouble = trouble;
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            trouble.accept("a connection failed: " + cause);
        }
    }

    /** Takes the stream apart again. One event loop owns it. */
    private abstract static class Messages extends End {
        private ByteBuf rest = Unpooled.EMPTY_BUFFER;

        Messages(Consumer<String> trouble) {
            super(trouble);
        }

        abstract void onMessage(ChannelHandlerContext context, int actor, int length);

        @Override
        public void channelRead(ChannelHandlerContext context, Object read) {
            ByteBuf bytes = (ByteBuf) read;
            ByteBuf all = rest.isReadable() ? Unpooled.wrappedBuffer(rest, bytes) : bytes;
            while (all.readableBytes() >= HEAD && all.readableBytes() >= HEAD + all.getInt(all.readerIndex())) {
                int length = all.readInt();
                int actor = all.readInt();
                all.skipBytes(length);
                onMessage(context, actor, length);
            }
            rest = all.isReadable() ? Unpooled.copiedBuffer(all) : Unpooled.EMPTY_BUFFER;
            all.release();
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }
    }

    /** Both ends of the connection. */
    private final class Connection extends Flow {
        private final EventLoopGroup leftLoop;
        private final EventLoopGroup rightLoop;
        private volatile boolean open = true;

        Connection(LinkEmulator link, int bytes, int actors) throws Exception {
            byte[] body = new byte[bytes];
            rightLoop = link.onRight(() -> loop("amo-bench-tcp-right"));
            leftLoop = link.onLeft(() -> loop("amo-bench-tcp-left"));
            try {
                Channel server = link.onRight(() -> await(new ServerBootstrap()
                        .group(rightLoop)
                        .channel(EpollServerSocketChannel.class)
                        .option(CONGESTION, congestion())
                        .childOption(CONGESTION, congestion())
                        .childOption(ChannelOption.TCP_NODELAY, true)
                        .childOption(ChannelOption.SO_LINGER, 0)
                        .childHandler(new ChannelInitializer<Channel>() {
                            @Override
                            protected void initChannel(Channel channel) {
                                channel.pipeline().addLast(right(body, actors > 0));
                            }
                        })
                        .bind(LinkEmulator.right(0))));
                link.onLeft(() -> await(new Bootstrap()
                        .group(leftLoop)
                        .channel(EpollSocketChannel.class)
                        .option(CONGESTION, congestion())
                        .option(ChannelOption.TCP_NODELAY, true)
                        .option(ChannelOption.SO_LINGER, 0)
                        .handler(actors > 0 ? new Actors(actors, body) : new Source(body))
                        .connect((InetSocketAddress) server.localAddress(), LinkEmulator.left(0))));
            } catch (Exception e) {
                close();
                throw e;
            }
        }

        private Messages right(byte[] body, boolean answers) {
            return new Messages(this::trouble) {
                @Override
                void onMessage(ChannelHandlerContext context, int actor, int length) {
                    if (answers) {
                        write(context, actor, body);
                    } else {
                        complete();
                    }
                }
            };
        }

        private void trouble(String what) {
            if (open) {
                fail(what);
            }
        }

        @Override
        public void close() {
            open = false;
            leftLoop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(WAIT_SECONDS, TimeUnit.SECONDS);
            rightLoop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(WAIT_SECONDS, TimeUnit.SECONDS);
        }

        /** Writes as long as the connection takes it. */
        private final class Source extends End {
            private final byte[] body;
            private boolean pumping;

            Source(byte[] body) {
                super(Connection.this::trouble);
                this.body = body;
            }

            @Override
            public void channelActive(ChannelHandlerContext context) {
                pump(context);
            }

            @Override
            public void channelWritabilityChanged(ChannelHandlerContext context) {
                pump(context);
            }

            private void pump(ChannelHandlerContext context) {
                if (pumping) {
                    return; // called from the flush below
                }
                pumping = true;
                while (open && context.channel().isWritable()) {
                    for (int i = 0; i < BATCH; i++) {
                        write(context, 0, body);
                    }
                    context.flush();
                }
                pumping = false;
            }
        }

        /** Each reply is followed by the actor's next request. */
        private final class Actors extends Messages {
            private final long[] startNanos;
            private final byte[] body;

            Actors(int actors, byte[] body) {
                super(Connection.this::trouble);
                this.startNanos = new long[actors];
                this.body = body;
            }

            @Override
            public void channelActive(ChannelHandlerContext context) {
                for (int i = 0; i < startNanos.length; i++) {
                    request(context, i);
                }
                context.flush();
            }

            private void request(ChannelHandlerContext context, int actor) {
                startNanos[actor] = System.nanoTime();
                write(context, actor, body);
            }

            @Override
            void onMessage(ChannelHandlerContext context, int actor, int length) {
                complete(startNanos[actor]);
                if (open) {
                    request(context, actor);
                }
            }
        }
    }
}
