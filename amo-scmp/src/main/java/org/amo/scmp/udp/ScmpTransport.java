package org.amo.scmp.udp;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import org.amo.net.EventLoops;

/**
 * The event loops that servers and clients run on: epoll where its library loads, NIO elsewhere. Servers and clients may share
 * one; each stays on one of its threads. Any thread may use it.
 */
public final class ScmpTransport implements AutoCloseable {
    /** Datagrams that epoll takes with one system call. */
    private static final int BATCH = 8;

    private final EventLoops loops;

    private ScmpTransport(EventLoops loops) {
        this.loops = loops;
    }

    /** With so many threads; their names begin with the given one. */
    public static ScmpTransport open(String name, int threads) {
        return new ScmpTransport(EventLoops.open(name, threads));
    }

    /** With Java's own selector, everywhere. */
    public static ScmpTransport openNio(String name, int threads) {
        return new ScmpTransport(EventLoops.openNio(name, threads));
    }

    /** For a socket on these loops that takes datagrams of any size, with kernel buffers of so many bytes. */
    public Bootstrap bootstrap(int bufferBytes) {
        return loops.datagrams(bufferBytes, BATCH).option(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT);
    }

    /** It ends with the transport. */
    void opened(Channel opened) {
        loops.opened(opened);
    }

    /** Whether this is the epoll transport. */
    public boolean isEpoll() {
        return loops.isEpoll();
    }

    /** Ends the threads, and with them every server and client on them. */
    @Override
    public void close() {
        loops.close();
    }
}
