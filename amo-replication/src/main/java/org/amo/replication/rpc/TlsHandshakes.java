package org.amo.replication.rpc;

import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.amo.base.DaemonThreads;
import org.amo.core.door.DoorLimits;
import org.amo.core.door.Doorkeeper;

/**
 * Bounds the TLS handshakes of one port: {@value #MOST} under way, and {@value #THREADS} threads for their cryptography, which
 * would hold up all clients in the transport's thread. A further handshake takes the place of the oldest from the address
 * with most of them. The transport's thread owns it.
 */
@SuppressWarnings("FutureReturnValueIgnored") // no caller waits for a connection that gives way
final class TlsHandshakes implements AutoCloseable {
    private static final int MOST = 64;
    private static final int THREADS = 2;

    private final Doorkeeper<Channel> underWay = new Doorkeeper<>(new DoorLimits(MOST, MOST, 1, 1, 1, 1));
    private final ThreadPoolExecutor cryptography;

    /** @param name begins the threads' names */
    TlsHandshakes(String name) {
        cryptography = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                10,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(MOST),
                DaemonThreads.factory(name + "-tls"));
        cryptography.allowCoreThreadTimeOut(true);
    }

    /** Refuses a task when too many wait. */
    Executor cryptography() {
        return cryptography;
    }

    /** A handshake begins. */
    void begin(Channel channel) {
        underWay.arrive(channel, ((InetSocketAddress) channel.remoteAddress()).getAddress())
                .close()
                .forEach(TlsHandshakes::giveUp);
    }

    /** Ends a connection past its handlers, which would say farewell by TLS. */
    static void giveUp(Channel channel) {
        channel.pipeline().firstContext().close();
    }

    /** It is over. */
    void end(Channel channel) {
        underWay.leave(channel);
    }

    @Override
    public void close() {
        cryptography.shutdown();
    }
}
