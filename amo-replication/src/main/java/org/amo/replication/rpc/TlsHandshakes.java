package org.amo.replication.rpc;

import io.netty.channel.Channel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.amo.base.DaemonThreads;

/**
 * Bounds the TLS handshakes of one port: {@value #MOST} under way, and {@value #THREADS} threads for their cryptography, which
 * would hold up all clients in the transport's thread.
 *
 * <p>A further handshake takes the place of one that its peer holds up, or of the oldest from an address with more of them than
 * its own. Otherwise it is refused: where many clients connect at once, those that came first are done soonest. The transport's
 * thread owns it.
 */
@SuppressWarnings("FutureReturnValueIgnored") // no caller waits for a connection that gives way
final class TlsHandshakes implements AutoCloseable {
    private static final int MOST = 256;
    private static final int THREADS = 2;
    private static final long HELD_UP_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final LongSupplier nanos;

    /** In order of arrival. */
    private final Map<Channel, InetAddress> underWay = new LinkedHashMap<>();

    /** Those that wait for their peers, and since when; the longest first. */
    private final Map<Channel, Long> waiting = new LinkedHashMap<>();

    private final ThreadPoolExecutor cryptography;

    /** @param name begins the threads' names */
    TlsHandshakes(String name) {
        this(name, System::nanoTime);
    }

    TlsHandshakes(String name, LongSupplier nanos) {
        this.nanos = nanos;
        // At most one task of each handshake waits.
        cryptography = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                10,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                DaemonThreads.factory(name + "-tls"));
        cryptography.allowCoreThreadTimeOut(true);
    }

    /**
     * A handshake begins; another may give way.
     *
     * @return false if it is refused
     */
    boolean begin(Channel channel) {
        InetAddress address = ((InetSocketAddress) channel.remoteAddress()).getAddress();
        if (underWay.size() >= MOST) {
            Optional<Channel> victim = heldUp().or(() -> oldestOfTheCrowd(address));
            if (victim.isEmpty()) {
                return false;
            }
            end(victim.get());
            giveUp(victim.get());
        }
        underWay.put(channel, address);
        waits(channel);
        return true;
    }

    private Optional<Channel> heldUp() {
        Iterator<Map.Entry<Channel, Long>> longest = waiting.entrySet().iterator();
        return longest.hasNext()
                ? Optional.of(longest.next())
                        .filter(each -> nanos.getAsLong() - each.getValue() > HELD_UP_NANOS)
                        .map(Map.Entry::getKey)
                : Optional.empty();
    }

    /** Empty unless that address would still have as many as the newcomer's. */
    private Optional<Channel> oldestOfTheCrowd(InetAddress newcomer) {
        Map<InetAddress, Integer> counts = new HashMap<>();
        underWay.values().forEach(address -> counts.merge(address, 1, Integer::sum));
        int most = Collections.max(counts.values());
        return most < counts.getOrDefault(newcomer, 0) + 2
                ? Optional.empty()
                : underWay.entrySet().stream()
                        .filter(each -> counts.getOrDefault(each.getValue(), 0) == most)
                        .map(Map.Entry::getKey)
                        .findFirst();
    }

    /** The handshake waits for its peer. */
    void waits(Channel channel) {
        if (underWay.containsKey(channel)) {
            waiting.put(channel, nanos.getAsLong());
        }
    }

    /** Computes for a handshake, in a thread of the port's. */
    void compute(Channel channel, Runnable task) {
        waiting.remove(channel);
        cryptography.execute(task);
    }

    /** @return whether the task had not begun, and will not */
    boolean drop(Runnable task) {
        return cryptography.remove(task);
    }

    /** Ends a connection past its handlers, which would say farewell by TLS. */
    static void giveUp(Channel channel) {
        channel.pipeline().firstContext().close();
    }

    /** It is over. */
    void end(Channel channel) {
        underWay.remove(channel);
        waiting.remove(channel);
    }

    @Override
    public void close() {
        cryptography.shutdown();
    }
}
