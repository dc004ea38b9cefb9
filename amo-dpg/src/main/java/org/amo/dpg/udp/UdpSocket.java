package org.amo.dpg.udp;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.channel.socket.nio.NioDatagramChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.util.Optional;
import org.amo.net.EventLoops;

/**
 * Runs an event loop with a socket that sends, and receives datagrams to this address. In a multicast group a second socket
 * receives datagrams to the group, as in Konorski's figure 2. Both have the same handler.
 */
final class UdpSocket implements AutoCloseable {
    /** Datagrams read from a socket before others have their turn; fewer mean that it was empty. */
    static final int AT_ONCE = 64;

    private final EventLoops loop;
    private final Channel channel;

    private UdpSocket(EventLoops loop, Channel channel) {
        this.loop = loop;
        this.channel = channel;
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
        EventLoops loop = EventLoops.openNio(threadName, 1);
        try {
            Bootstrap own = bootstrap(loop, bufferBytes, handler);
            if (group.isPresent()) {
                own.option(ChannelOption.IP_MULTICAST_IF, interfaceOf(through));
            }
            Channel channel = bound(loop, own, listen, "listen on");
            if (group.isPresent()) {
                Bootstrap shared = bootstrap(loop, bufferBytes, handler).option(ChannelOption.SO_REUSEADDR, true);
                NioDatagramChannel there = (NioDatagramChannel) bound(loop, shared, group.get(), "listen to the group");
                await(there.joinGroup(group.get(), interfaceOf(through)), "join the group", group.get());
            }
            return new UdpSocket(loop, channel);
        } catch (IOException | RuntimeException e) {
            loop.close();
            throw e;
        }
    }

    private static Bootstrap bootstrap(EventLoops loop, int bufferBytes, ChannelHandler handler) {
        return new Bootstrap()
                .group(loop.group())
                .channelFactory(
                        (ChannelFactory<NioDatagramChannel>) () -> new NioDatagramChannel(SocketProtocolFamily.INET))
                .option(ChannelOption.SO_RCVBUF, bufferBytes)
                .option(ChannelOption.SO_SNDBUF, bufferBytes)
                // Datagrams written between two flushes are no back-pressure: one that is not taken is lost for all.
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(bufferBytes / 2, bufferBytes))
                .option(
                        ChannelOption.RECVBUF_ALLOCATOR,
                        new FixedRecvByteBufAllocator(EventLoops.DATAGRAM_SLOT).maxMessagesPerRead(AT_ONCE))
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

    private static Channel bound(EventLoops loop, Bootstrap bootstrap, InetSocketAddress address, String what)
            throws IOException {
        ChannelFuture bound = bootstrap.bind(address);
        await(bound, what, address);
        loop.opened(bound.channel());
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
        loop.close();
    }
}
