package org.amo.benchmarks.scmp;

import io.netty.channel.EventLoop;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.amo.scmp.Call;
import org.amo.scmp.ConnectionId;
import org.amo.scmp.Datagram;
import org.amo.scmp.RpcDatagrams;
import org.amo.scmp.TimestampSource;

/**
 * Keeps a server busy with ready-made datagrams: for each that comes back the next one goes out. It sends the same bytes to an
 * SCMP server and to one that only sends back each datagram, and the answers are of one size, so that any difference is the
 * server's. A client that decodes, remembers and wakes threads would itself be measured; one that sleeps between answers
 * would charge the slower server with waking it. Each call is a new one, and runs. One thread uses it.
 */
final class Pump implements AutoCloseable {
    private static final int UID_AT = 4;
    private static final int TIMESTAMP_AT = 24;
    private static final int BYTES = RpcDatagrams.HEADER + NullCall.BYTES;
    private static final int BUFFER_BYTES = 1 << 20;
    private static final long SPIN_NANOS = 1_000_000;
    private static final long SILENCE_MILLIS = 500;
    private static final long LIMIT_SECONDS = 20;

    private final Datagram.Kind expected;
    private final EventLoop serverLoop;
    private final DatagramChannel channel = DatagramChannel.open();
    private final Selector selector = Selector.open();
    private final ByteBuffer answer = ByteBuffer.allocateDirect(2 * BYTES);
    private final ByteBuffer[] requests;
    private final TimestampSource timestamps = new TimestampSource();

    /** Timestamp of the call that is under way on each connection, 0 for none. */
    private final long[] underWay;

    private int toSend;
    private int toCome;

    private Pump(Datagram.Kind expected, InetSocketAddress server, EventLoop serverLoop, int outstanding)
            throws IOException {
        this.expected = expected;
        this.serverLoop = serverLoop;
        this.requests = new ByteBuffer[outstanding];
        this.underWay = new long[outstanding];
        for (int i = 0; i < outstanding; i++) {
            requests[i] = ByteBuffer.allocateDirect(BYTES);
            Call call = new Call(new ConnectionId(System.nanoTime(), 0x5C3B, i), 0, 1, new byte[NullCall.BYTES]);
            RpcDatagrams.call(requests[i], call, 0);
        }
        channel.setOption(StandardSocketOptions.SO_RCVBUF, BUFFER_BYTES);
        channel.setOption(StandardSocketOptions.SO_SNDBUF, BUFFER_BYTES);
        channel.connect(server);
        channel.configureBlocking(false);
        channel.register(selector, SelectionKey.OP_READ);
    }

    /** For an SCMP server: answers are replies. */
    static Pump scmp(InetSocketAddress server, EventLoop serverLoop, int outstanding) throws IOException {
        return new Pump(Datagram.Kind.REPLY, server, serverLoop, outstanding);
    }

    /** For a server that sends back each datagram. */
    static Pump bare(InetSocketAddress server, EventLoop serverLoop, int outstanding) throws IOException {
        return new Pump(Datagram.Kind.CALL, server, serverLoop, outstanding);
    }

    /** So many calls, each answered when it returns. */
    Rate run(int calls) throws IOException, InterruptedException, ExecutionException {
        toSend = calls;
        toCome = calls;
        long cpu = cpuNanos();
        long start = System.nanoTime();
        for (int i = 0; i < requests.length && toSend > 0; i++) {
            next(i);
        }
        long heard = start;
        while (toCome > 0) {
            if (readAll()) {
                heard = System.nanoTime();
            } else if (System.nanoTime() - heard < SPIN_NANOS) {
                Thread.onSpinWait();
            } else if (selector.select(SILENCE_MILLIS) == 0) {
                sendAgain(start);
            } else {
                selector.selectedKeys().clear();
            }
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        return new Rate(calls / seconds, calls * 1e9 / Math.max(1, cpuNanos() - cpu));
    }

    private boolean readAll() throws IOException {
        boolean any = false;
        while (toCome > 0 && channel.read(answer.clear()) > 0) {
            any = true;
            int uid = answer.getInt(UID_AT);
            int kind = answer.get(1) & 0x0F;
            if (answer.position() != BYTES || kind != expected.code() || uid < 0 || uid >= requests.length) {
                throw new IOException(
                        "not an answer: " + answer.position() + " bytes of kind " + kind + ", uid " + uid);
            }
            if (answer.getLong(TIMESTAMP_AT) == underWay[uid]) {
                underWay[uid] = 0;
                toCome--;
                if (toSend > 0) {
                    next(uid);
                }
            }
        }
        return any;
    }

    private void next(int uid) throws IOException {
        toSend--;
        underWay[uid] = timestamps.next(TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()));
        requests[uid].putLong(TIMESTAMP_AT, underWay[uid]);
        channel.write(requests[uid].position(0));
    }

    /** After a silence: something was lost. */
    private void sendAgain(long startNanos) throws IOException {
        if (System.nanoTime() - startNanos > TimeUnit.SECONDS.toNanos(LIMIT_SECONDS)) {
            throw new IOException("no answer to " + toCome + " calls within " + LIMIT_SECONDS + " s");
        }
        for (int i = 0; i < requests.length; i++) {
            if (underWay[i] != 0) {
                channel.write(requests[i].position(0));
            }
        }
    }

    private long cpuNanos() throws InterruptedException, ExecutionException {
        return serverLoop.submit(Threads::cpuNanos).get();
    }

    @Override
    public void close() throws IOException {
        selector.close();
        channel.close();
    }
}
