package org.amo.replication.rpc;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import org.amo.net.OpenChannels;

/**
 * One thread for all connections of a client or a server: epoll where its library loads, NIO elsewhere. A client's thread
 * owns its protocol, too. Any thread may use it.
 */
public final class RpcTransport implements AutoCloseable {
    /** Beyond this a peer that does not read is not read from either. */
    private static final WriteBufferWaterMark WATER = new WriteBufferWaterMark(512 << 10, 2 << 20);

    private final EventLoopGroup group;
    private final EventLoop loop;
    private final OpenChannels open = new OpenChannels();
    private final Class<? extends SocketChannel> channel;
    private final Class<? extends ServerSocketChannel> serverChannel;

    private RpcTransport(
            EventLoopGroup group,
            Class<? extends SocketChannel> channel,
            Class<? extends ServerSocketChannel> serverChannel) {
        this.group = group;
        this.loop = group.next();
        this.channel = channel;
        this.serverChannel = serverChannel;
    }

    /** A daemon thread of that name. */
    public static RpcTransport open(String name) {
        DefaultThreadFactory daemons = new DefaultThreadFactory(name, true);
        return Epoll.isAvailable()
                ? new RpcTransport(
                        new MultiThreadIoEventLoopGroup(1, daemons, EpollIoHandler.newFactory()),
                        EpollSocketChannel.class,
                        EpollServerSocketChannel.class)
                : new RpcTransport(
                        new MultiThreadIoEventLoopGroup(1, daemons, NioIoHandler.newFactory()),
                        NioSocketChannel.class,
                        NioServerSocketChannel.class);
    }

    /** The thread. */
    public EventLoop loop() {
        return loop;
    }

    Bootstrap client(int connectMillis) {
        return new Bootstrap()
                .group(group)
                .channel(channel)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, connectMillis)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, true)
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER);
    }

    ServerBootstrap server() {
        return new ServerBootstrap()
                .group(group)
                .channel(serverChannel)
                .option(ChannelOption.SO_REUSEADDR, true)
                .option(ChannelOption.SO_BACKLOG, 1024)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER);
    }

    /** It ends with the transport. */
    void opened(Channel opened) {
        open.add(opened);
    }

    /** Ends the thread, and with it every connection. Blocks for some seconds at most. */
    @Override
    public void close() {
        open.end(group);
    }
}
