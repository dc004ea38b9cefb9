package org.amo.benchmarks.exon;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.RawUnixChannelOption;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.amo.benchmarks.link.LinkEmulator;

/** TCP: one connection that all actors share. The kernel's congestion control is chosen for each socket, at both ends. */
final class TcpStack implements Stack {
    private static final int IPPROTO_TCP = 6;
    private static final int TCP_CONGESTION = 13;
    private static final int NAME_BYTES = 16;
    private static final RawUnixChannelOption CONGESTION =
            new RawUnixChannelOption("TCP_CONGESTION", IPPROTO_TCP, TCP_CONGESTION, NAME_BYTES);

    private final String control;

    TcpStack(String control) {
        this.control = control;
    }

    @Override
    public String name() {
        return "tcp " + control;
    }

    @Override
    public Flow flow(LinkEmulator link, int bytes, int actors) throws Exception {
        return new Connection(link, bytes, actors);
    }

    private ByteBuffer congestion() {
        return ByteBuffer.wrap(Arrays.copyOf(control.getBytes(StandardCharsets.US_ASCII), NAME_BYTES));
    }

    private static Channel await(ChannelFuture future) throws IOException {
        if (!future.awaitUninterruptibly(StreamFlow.WAIT_SECONDS, TimeUnit.SECONDS) || !future.isSuccess()) {
            throw new IOException("no TCP connection over the link: " + future.cause());
        }
        return future.channel();
    }

    /** Both ends of the connection. */
    private final class Connection extends StreamFlow {
        Connection(LinkEmulator link, int bytes, int actors) throws Exception {
            super(link, "tcp", bytes);
            try {
                Channel server = link.onRight(() -> await(new ServerBootstrap()
                        .group(rightLoop.group())
                        .channel(EpollServerSocketChannel.class)
                        .option(CONGESTION, congestion())
                        .childOption(CONGESTION, congestion())
                        .childOption(ChannelOption.TCP_NODELAY, true)
                        .childOption(ChannelOption.SO_LINGER, 0)
                        .childHandler(new ChannelInitializer<Channel>() {
                            @Override
                            protected void initChannel(Channel channel) {
                                channel.pipeline().addLast(actors > 0 ? new Server() : new Sink());
                            }
                        })
                        .bind(LinkEmulator.right(0))));
                link.onLeft(() -> await(new Bootstrap()
                        .group(leftLoop.group())
                        .channel(EpollSocketChannel.class)
                        .option(CONGESTION, congestion())
                        .option(ChannelOption.TCP_NODELAY, true)
                        .option(ChannelOption.SO_LINGER, 0)
                        .handler(actors > 0 ? new Actors(actors) : new Source())
                        .connect((InetSocketAddress) server.localAddress(), LinkEmulator.left(0))));
            } catch (Exception e) {
                close();
                throw e;
            }
        }
    }
}
