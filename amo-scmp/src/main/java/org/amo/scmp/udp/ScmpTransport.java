package org.amo.scmp.udp;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import org.amo.net.OpenChannels;

/**
 * The event loops that servers and clients run on: epoll where its library loads, NIO elsewhere. Servers and clients may share
 * one; each stays on one of its threads. Any thread may use it.
 */
public final class ScmpTransport implements AutoCloseable {
    /** More than any UDP datagram carries, so that none is cut. */
    private static final int SLOT = 65_536;

    /** Datagrams that epoll takes with one system call. */
    private static final int BATCH = 8;

    private final EventLoopGroup group;
    private final OpenChannels open = new OpenChannels();
    private final Class<? extends DatagramChannel> channel;

    private ScmpTransport(EventLoopGroup group, Class<? extends DatagramChannel> channel) {
        this.group = group;
        this.channel = channel;
    }

    /** With so many threads; their names begin with the given one. */
    public static ScmpTransport open(String name, int threads) {
        return Epoll.isAvailable() ? openEpoll(name, threads) : openNio(name, threads);
    }

    /** With Java's own selector, everywhere. */
    public static ScmpTransport openNio(String name, int threads) {
        return new ScmpTransport(
                new MultiThreadIoEventLoopGroup(threads, daemons(name), NioIoHandler.newFactory()),
                NioDatagramChannel.class);
    }

    private static ScmpTransport openEpoll(String name, int threads) {
        return new ScmpTransport(
                new MultiThreadIoEventLoopGroup(threads, daemons(name), EpollIoHandler.newFactory()),
                EpollDatagramChannel.class);
    }

    /** For a socket on these loops that takes datagrams of any size, with kernel buffers of so many bytes. */
    public Bootstrap bootstrap(int bufferBytes) {
        Bootstrap bootstrap = new Bootstrap()
                .group(group)
                .channel(channel)
                .option(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
                .option(ChannelOption.SO_RCVBUF, bufferBytes)
                .option(ChannelOption.SO_SNDBUF, bufferBytes);
        if (isEpoll()) {
            return bootstrap
                    .option(EpollChannelOption.MAX_DATAGRAM_PAYLOAD_SIZE, SLOT)
                    .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(SLOT * BATCH));
        }
        return bootstrap.option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(SLOT));
    }

    /** It ends with the transport. */
    void opened(Channel opened) {
        open.add(opened);
    }

    /** Whether this is the epoll transport. */
    public boolean isEpoll() {
        return channel == EpollDatagramChannel.class;
    }

    /** Ends the threads, and with them every server and client on them. */
    @Override
    public void close() {
        open.end(group);
    }

    private static DefaultThreadFactory daemons(String name) {
        return new DefaultThreadFactory(name, true);
    }
}
