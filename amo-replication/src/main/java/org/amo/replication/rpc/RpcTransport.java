package org.amo.replication.rpc;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import java.net.InetAddress;
import org.amo.net.EventLoops;

/**
 * One thread for all connections of a client or a server: epoll where its library loads, NIO elsewhere. A client's thread
 * owns its protocol, too. Any thread may use it.
 */
public final class RpcTransport implements AutoCloseable {
    /** Beyond this a peer that does not read is not read from either. */
    private static final WriteBufferWaterMark WATER = new WriteBufferWaterMark(512 << 10, 2 << 20);

    private final EventLoops loops;
    private final EventLoop loop;
    private final HostLookups lookups;

    private RpcTransport(EventLoops loops, HostLookups lookups) {
        this.loops = loops;
        this.loop = loops.group().next();
        this.lookups = lookups;
    }

    /** A daemon thread of that name. */
    public static RpcTransport open(String name) {
        return open(name, InetAddress::getByName);
    }

    /** @param names may be silent for long */
    static RpcTransport open(String name, HostLookups.Names names) {
        return new RpcTransport(EventLoops.open(name, 1), new HostLookups(names));
    }

    /** The thread. */
    public EventLoop loop() {
        return loop;
    }

    Bootstrap client(int connectMillis) {
        return loops.client()
                .resolver(lookups)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, connectMillis)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, true)
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER);
    }

    /** For a socket that is connected to one member. */
    Bootstrap datagrams(int bufferBytes) {
        return loops.datagrams(bufferBytes, 1).resolver(lookups);
    }

    ServerBootstrap server() {
        return loops.server()
                .option(ChannelOption.SO_REUSEADDR, true)
                .option(ChannelOption.SO_BACKLOG, 1024)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER);
    }

    /** It ends with the transport. */
    void opened(Channel opened) {
        loops.opened(opened);
    }

    /** Ends the thread, and with it every connection. Blocks for some seconds at most. */
    @Override
    public void close() {
        loops.close();
        lookups.close();
    }
}
