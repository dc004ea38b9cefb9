package org.amo.dpg.udp;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Runs an event loop with a socket that sends, and receives datagrams to this address. In a multicast group a second socket
 * receives datagrams to the group, as in figure 2 of paper 003. Both have the same handler.
 */
final class UdpSocket implements AutoCloseable {
    private static final int SLOT = 65_536;
    /** Datagrams read from a socket before others have their turn; fewer mean that it was empty. */
    static final int AT_ONCE = 64;

    private final EventLoopGroup loop;
    private final Channel channel;
    private final Optional<Channel> groupChannel;

    private UdpSocket(EventLoopGroup loop, Channel channel, Optional<Channel> groupChannel) {
        this.loop = loop;
        this.channel = channel;
        this.groupChannel = groupChannel;
    }

    /**
     * Opens the sockets; datagrams may come before this returns.
     *
     * @param handler of both, sharable
     * @throws IOException in one line that names the address
     */
    static UdpSocket open(
            String threadName,
            InetSocketAddress listen,
            int bufferBytes,
            Optional<InetSocketAddress> group,
            InetAddress through,
            ChannelHandler handler)
            throws IOException {
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory(threadName, true), NioIoHandler.newFactory());
        try {
            Bootstrap own = bootstrap(loop, bufferBytes, handler);
            if (group.isPresent()) {
                own.option(ChannelOption.IP_MULTICAST_IF, interfaceOf(through));
            }
            Channel channel = bound(own, listen, "listen on");
            Optional<Channel> joined = Optional.empty();
            if (group.isPresent()) {
                Bootstrap shared = bootstrap(loop, bufferBytes, handler).option(ChannelOption.SO_REUSEADDR, true);
                NioDatagramChannel there = (NioDatagramChannel) bound(shared, group.get(), "listen to the group");
                await(there.joinGroup(group.get(), interfaceOf(through)), "join the group", group.get());
                joined = Optional.of(there);
            }
            return new UdpSocket(loop, channel, joined);
        } catch (IOException | RuntimeException e) {
            end(loop);
            throw e;
        }
    }

    private static Bootstrap bootstrap(EventLoopGroup loop, int bufferBytes, ChannelHandler handler) {
        return new Bootstrap()
                .group(loop)
                .channelFactory(
                        (ChannelFactory<NioDatagramChannel>) () -> new NioDatagramChannel(SocketProtocolFamily.INET))
                .option(ChannelOption.SO_RCVBUF, bufferBytes)
                .option(ChannelOption.SO_SNDBUF, bufferBytes)
                // Datagrams written between two flushes are no back-pressure: one that is not taken is lost for all.
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(bufferBytes / 2, bufferBytes))
                .option(
                        ChannelOption.RECVBUF_ALLOCATOR,
                        new FixedRecvByteBufAllocator(SLOT).maxMessagesPerRead(AT_ONCE))
                .handler(handler);
    }

    private static NetworkInterface interfaceOf(InetAddress address) throws IOException {
        NetworkInterface found = NetworkInterface.getByInetAddress(address);
        if (found == null) {
            throw new IOException("no network interface of this machine has the address " + address.getHostAddress()
                    + "; give one that it has");
        }
        return found;
    }

    private static Channel bound(Bootstrap bootstrap, InetSocketAddress address, String what) throws IOException {
        ChannelFuture bound = bootstrap.bind(address);
        await(bound, what, address);
        return bound.channel();
    }

    private static void await(ChannelFuture future, String what, InetSocketAddress address) throws IOException {
        future.awaitUninterruptibly();
        if (!future.isSuccess()) {
            throw new IOException(
                    "cannot " + what + " " + address + ": " + future.cause().getMessage(), future.cause());
        }
    }

    Channel channel() {
        return channel;
    }

    /** Where datagrams to this one alone go. */
    InetSocketAddress address() {
        return (InetSocketAddress) channel.localAddress();
    }

    @Override
    public void close() {
        groupChannel.ifPresent(each -> each.close().awaitUninterruptibly(5, TimeUnit.SECONDS));
        channel.close().awaitUninterruptibly(5, TimeUnit.SECONDS);
        end(loop);
    }

    private static void end(EventLoopGroup loop) {
        loop.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
    }
}
