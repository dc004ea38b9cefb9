package org.amo.net;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Runs the event loops of a protocol's shell in daemon threads: epoll where its library loads, NIO elsewhere. It closes its
 * channels with the loops. Netty closes them only if a loop is not just running a task when it is told to end; otherwise they
 * stay open with no loop to serve them. Any thread may use it.
 */
public final class EventLoops implements AutoCloseable {
    /** More than any UDP datagram carries, so that none is cut. */
    public static final int DATAGRAM_SLOT = 65_536;

    private static final long CLOSE_SECONDS = 5;

    private final EventLoopGroup group;
    private final boolean epoll;
    private final ChannelGroup channels = new DefaultChannelGroup(ImmediateEventExecutor.INSTANCE, true);

    private EventLoops(String name, int threads, boolean epoll) {
        IoHandlerFactory io = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        this.group = new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory(name, true), io);
        this.epoll = epoll;
    }

    /** With so many threads; their names begin with the given one. */
    public static EventLoops open(String name, int threads) {
        return new EventLoops(name, threads, Epoll.isAvailable());
    }

    /** With Java's own selector, everywhere. */
    public static EventLoops openNio(String name, int threads) {
        return new EventLoops(name, threads, false);
    }

    public EventLoopGroup group() {
        return group;
    }

    /**
     * Has a loop run a task, if it takes any. A loop that is ending may take a task and drop it, without a word: {@code ifDropped}
     * runs once such a loop has ended, behind the task if that was run. A task that comes before the end is run.
     *
     * @return false if the loop takes no task any more; then none of the two runs
     */
    public static boolean execute(EventLoop loop, Runnable task, Runnable ifDropped) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            return false;
        }
        if (loop.isShuttingDown()) {
            Future<?> unused = loop.terminationFuture().addListener(ended -> ifDropped.run());
        }
        return true;
    }

    public boolean isEpoll() {
        return epoll;
    }

    /**
     * For a socket that takes datagrams of any size.
     *
     * @param bufferBytes of each of the kernel's two buffers
     * @param batch datagrams that epoll takes with one system call
     */
    public Bootstrap datagrams(int bufferBytes, int batch) {
        Bootstrap bootstrap = new Bootstrap()
                .group(group)
                .channel(epoll ? EpollDatagramChannel.class : NioDatagramChannel.class)
                .option(ChannelOption.SO_RCVBUF, bufferBytes)
                .option(ChannelOption.SO_SNDBUF, bufferBytes)
                .option(
                        ChannelOption.RECVBUF_ALLOCATOR,
                        new FixedRecvByteBufAllocator(epoll ? DATAGRAM_SLOT * batch : DATAGRAM_SLOT));
        return epoll ? bootstrap.option(EpollChannelOption.MAX_DATAGRAM_PAYLOAD_SIZE, DATAGRAM_SLOT) : bootstrap;
    }

    /** For a TCP connection. */
    public Bootstrap client() {
        return new Bootstrap().group(group).channel(epoll ? EpollSocketChannel.class : NioSocketChannel.class);
    }

    /** For a port that accepts TCP connections. */
    public ServerBootstrap server() {
        return new ServerBootstrap()
                .group(group)
                .channel(epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class);
    }

    /** A channel that ends with the loops; at once if they have ended. */
    public void opened(Channel opened) {
        channels.add(opened);
    }

    /** Closes all channels, then ends the loops. Blocks for some seconds at most. In a loop of its own, that one ends later. */
    @Override
    public void close() {
        channels.close().awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
        Future<?> ended = group.shutdownGracefully(0, 2, TimeUnit.SECONDS);
        if (!runsHere()) {
            ended.awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
        }
    }

    private boolean runsHere() {
        for (EventExecutor each : group) {
            if (each.inEventLoop()) {
                return true;
            }
        }
        return false;
    }
}
