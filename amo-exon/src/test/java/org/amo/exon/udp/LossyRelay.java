package org.amo.exon.udp;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayDeque;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiPredicate;

/**
 * Stands between a client and a server on real sockets: loses, doubles and reorders datagrams, from a seed. The client side
 * sends to {@link #address}; the server sees one address of the relay, until {@link #moveClient} makes it another.
 */
public final class LossyRelay implements AutoCloseable {
    private static final int MAX = 65_507;

    private final Random random;
    private final InetSocketAddress server;
    private final DatagramChannel front;
    private volatile DatagramChannel back;
    private volatile double loss;
    private volatile double duplication;
    private volatile double reordering;
    private volatile BiPredicate<byte[], Boolean> swallowed = (datagram, toServer) -> false;
    private volatile boolean closed;
    private volatile InetSocketAddress client;
    private final ArrayDeque<DatagramChannel> oldBacks = new ArrayDeque<>();
    private final PriorityQueue<Late> late = new PriorityQueue<>();
    private final Thread thread;

    private record Late(long atNanos, byte[] bytes, boolean toServer) implements Comparable<Late> {
        @Override
        public int compareTo(Late other) {
            return Long.compare(atNanos, other.atNanos);
        }
    }

    public LossyRelay(InetSocketAddress server, long seed) throws IOException {
        this.server = server;
        this.random = new Random(seed);
        this.front = channel();
        this.back = channel();
        thread = new Thread(this::run, "relay");
        thread.setDaemon(true);
        thread.start();
    }

    private static DatagramChannel channel() throws IOException {
        DatagramChannel channel = DatagramChannel.open();
        channel.setOption(java.net.StandardSocketOptions.SO_RCVBUF, 4 << 20);
        channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).configureBlocking(false);
        return channel;
    }

    public LossyRelay faults(double lost, double doubled, double reordered) {
        loss = lost;
        duplication = doubled;
        reordering = reordered;
        return this;
    }

    /** @param rule says of a datagram, and whether it goes to the server, that it is lost. In the relay's thread */
    LossyRelay swallow(BiPredicate<byte[], Boolean> rule) {
        swallowed = rule;
        return this;
    }

    public InetSocketAddress address() throws IOException {
        return (InetSocketAddress) front.getLocalAddress();
    }

    /** Where the server sees the client. */
    InetSocketAddress seenByServer() throws IOException {
        return (InetSocketAddress) back.getLocalAddress();
    }

    /** From now on the server sees the client at another address, and what it sends to the old one is lost. */
    void moveClient() throws IOException {
        oldBacks.add(back);
        back = channel();
    }

    private void run() {
        ByteBuffer buffer = ByteBuffer.allocate(MAX);
        try {
            while (!closed) {
                boolean idle = true;
                InetSocketAddress from = (InetSocketAddress) front.receive(buffer.clear());
                if (from != null) {
                    client = from;
                    carry(bytes(buffer), true);
                    idle = false;
                }
                if (back.receive(buffer.clear()) != null) {
                    carry(bytes(buffer), false);
                    idle = false;
                }
                while (!late.isEmpty() && late.element().atNanos <= System.nanoTime()) {
                    Late due = late.remove();
                    send(due.bytes, due.toServer);
                }
                if (idle) {
                    LockSupport.parkNanos(50_000);
                }
            }
        } catch (IOException e) {
            if (!closed) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.flip().remaining()];
        buffer.get(bytes);
        return bytes;
    }

    private void carry(byte[] bytes, boolean toServer) throws IOException {
        if (random.nextDouble() < loss || swallowed.test(bytes, toServer)) {
            return;
        }
        int copies = random.nextDouble() < duplication ? 2 : 1;
        for (int i = 0; i < copies; i++) {
            if (random.nextDouble() < reordering) {
                late.add(new Late(
                        System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(random.nextInt(5_000)), bytes, toServer));
            } else {
                send(bytes, toServer);
            }
        }
    }

    private void send(byte[] bytes, boolean toServer) throws IOException {
        if (toServer) {
            back.send(ByteBuffer.wrap(bytes), server);
        } else if (client != null) {
            front.send(ByteBuffer.wrap(bytes), client);
        }
    }

    @Override
    public void close() throws IOException {
        closed = true;
        front.close();
        back.close();
        for (DatagramChannel old : oldBacks) {
            old.close();
        }
    }
}
