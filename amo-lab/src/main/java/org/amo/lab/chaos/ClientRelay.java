package org.amo.lab.chaos;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.base.DaemonThreads;
import org.amo.core.order.Member;

/**
 * An address by which clients reach one member. In both directions it loses datagrams, repeats them and lets them overtake each other;
 * some come again after seconds, when their client is gone. TCP connections to it pass unharmed: faults of TCP are the network's.
 *
 * <p>Its own threads do the work. Any thread may read the counters and close it.
 */
final class ClientRelay implements AutoCloseable {
    /** Of the datagrams of each direction. */
    static final int LOST_PERCENT = 20;

    /** Of those that are not lost. */
    static final int REPEATED_PERCENT = 20;

    private static final int DELAYED_PERCENT = 20;
    private static final int MOST_DELAY_MILLIS = 100;

    /** Of the repeated ones, by up to {@link #MOST_LATE_MILLIS}. */
    private static final int LATE_PERCENT = 25;

    private static final int MOST_LATE_MILLIS = 8_000;
    private static final int MOST_BYTES = 65_535;
    private static final int TRIES = 100;
    private static final int CONNECT_MILLIS = 5_000;
    private static final long NANOS = 1_000_000;

    /** A client that was silent for so long gets no more datagrams of the member. */
    private static final long SILENT_NANOS = 20_000 * NANOS;

    private final InetSocketAddress member;
    private final SplittableRandom random;
    private final Selector selector;
    private final ServerSocket door;
    private final DatagramChannel front;
    private final Map<SocketAddress, Back> backs = new HashMap<>();
    private final PriorityQueue<Delayed> delayed = new PriorityQueue<>(Comparator.comparingLong(Delayed::atNanos));
    private final ByteBuffer buffer = ByteBuffer.allocate(MOST_BYTES);
    private final AtomicLong carried = new AtomicLong();
    private final AtomicLong lost = new AtomicLong();
    private final AtomicLong repeated = new AtomicLong();
    private volatile boolean closed;

    /** The socket that speaks to the member for one client. */
    private static final class Back {
        final SocketAddress client;
        final DatagramChannel channel;
        long heardNanos = System.nanoTime();

        Back(SocketAddress client, DatagramChannel channel) {
            this.client = client;
            this.channel = channel;
        }
    }

    /** A datagram that arrives later. */
    private record Delayed(long atNanos, DatagramChannel by, SocketAddress to, byte[] bytes) {}

    /**
     * Carries from now on.
     *
     * @param host of the relay, where the clients are
     * @param seed of its losses
     */
    ClientRelay(String host, Member member, long seed) {
        this.member = new InetSocketAddress(member.host(), member.clientPort());
        this.random = new SplittableRandom(seed);
        try {
            InetAddress here = InetAddress.getByName(host);
            this.selector = Selector.open();
            this.front = DatagramChannel.open();
            this.door = bind(here, front);
            front.configureBlocking(false).register(selector, SelectionKey.OP_READ);
        } catch (IOException e) {
            throw new UncheckedIOException("no port for the clients of " + member.id() + " at " + host, e);
        }
        DaemonThreads.start("amo-relay-datagrams", this::carry);
        DaemonThreads.start("amo-relay-door", this::accept);
    }

    /** A TCP port, and the UDP port of the same number. */
    private static ServerSocket bind(InetAddress here, DatagramChannel front) throws IOException {
        for (int left = TRIES; ; left--) {
            ServerSocket socket = new ServerSocket(0, TRIES, here);
            try {
                front.bind(new InetSocketAddress(here, socket.getLocalPort()));
                return socket;
            } catch (IOException e) {
                socket.close();
                if (left == 0) {
                    throw e;
                }
            }
        }
    }

    /** The member as clients reach it. */
    Member reached(Member of) {
        return new Member(of.id(), door.getInetAddress().getHostAddress(), of.orderPort(), door.getLocalPort());
    }

    /** Datagrams that came here. */
    long carried() {
        return carried.get();
    }

    long lost() {
        return lost.get();
    }

    long repeated() {
        return repeated.get();
    }

    @Override
    public void close() {
        closed = true;
        selector.wakeup();
        closeQuietly(door);
    }

    // ---- the thread of the datagrams

    private void carry() {
        while (!closed) {
            try {
                selector.select(waitMillis());
                for (SelectionKey ready : selector.selectedKeys()) {
                    if (ready.attachment() instanceof Back back) {
                        readBack(back);
                    } else {
                        readFront();
                    }
                }
                selector.selectedKeys().clear();
                sendDue();
                forgetSilent();
            } catch (IOException e) {
                // A port is closed, or a buffer full: those datagrams are lost.
                lost.incrementAndGet();
            }
        }
        backs.values().forEach(back -> closeQuietly(back.channel));
        closeQuietly(front);
        closeQuietly(selector);
    }

    /** At least 1, since 0 is for ever. */
    private long waitMillis() {
        return Optional.ofNullable(delayed.peek())
                .map(next -> Math.max(1, (next.atNanos() - System.nanoTime()) / NANOS))
                .orElse(1_000L);
    }

    private void readFront() throws IOException {
        for (SocketAddress client = front.receive(buffer.clear()); client != null; ) {
            byte[] bytes = taken();
            Back back = backs.get(client);
            if (back == null) {
                back = new Back(client, DatagramChannel.open());
                back.channel.connect(member);
                back.channel.configureBlocking(false).register(selector, SelectionKey.OP_READ, back);
                backs.put(client, back);
            }
            back.heardNanos = System.nanoTime();
            pass(back.channel, member, bytes);
            client = front.receive(buffer.clear());
        }
    }

    private void readBack(Back back) {
        try {
            while (back.channel.read(buffer.clear()) > 0) {
                pass(front, back.client, taken());
            }
        } catch (IOException e) {
            // The member's port is closed, which clients of a relay are not told: a slower failure than over a plain
            // network.
            return;
        }
    }

    private byte[] taken() {
        carried.incrementAndGet();
        return Arrays.copyOf(buffer.array(), buffer.flip().limit());
    }

    private void pass(DatagramChannel by, SocketAddress to, byte[] bytes) {
        if (chance(LOST_PERCENT)) {
            lost.incrementAndGet();
            return;
        }
        long now = System.nanoTime();
        delayed.add(new Delayed(now + (chance(DELAYED_PERCENT) ? delay(MOST_DELAY_MILLIS) : 0), by, to, bytes));
        if (chance(REPEATED_PERCENT)) {
            repeated.incrementAndGet();
            int most = chance(LATE_PERCENT) ? MOST_LATE_MILLIS : MOST_DELAY_MILLIS;
            delayed.add(new Delayed(now + delay(most), by, to, bytes));
        }
    }

    private boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    private long delay(int mostMillis) {
        return random.nextLong(mostMillis * NANOS);
    }

    private void sendDue() {
        for (Delayed next = delayed.peek();
                next != null && next.atNanos() - System.nanoTime() <= 0;
                next = delayed.peek()) {
            delayed.remove();
            try {
                if (next.by().isConnected()) {
                    next.by().write(ByteBuffer.wrap(next.bytes()));
                } else {
                    next.by().send(ByteBuffer.wrap(next.bytes()), next.to());
                }
            } catch (IOException e) {
                // The port is closed, or this relay has forgotten the client.
                lost.incrementAndGet();
            }
        }
    }

    private void forgetSilent() {
        long now = System.nanoTime();
        List<Back> silent = new ArrayList<>(backs.values());
        silent.removeIf(back -> now - back.heardNanos < SILENT_NANOS);
        for (Back back : silent) {
            backs.remove(back.client);
            closeQuietly(back.channel);
        }
    }

    // ---- connections

    private void accept() {
        while (!closed) {
            try {
                Socket client = door.accept();
                DaemonThreads.start("amo-relay-connection", () -> connect(client));
            } catch (IOException e) {
                if (closed) {
                    return;
                }
            }
        }
    }

    private void connect(Socket client) {
        try (client;
                Socket end = new Socket()) {
            end.connect(member, CONNECT_MILLIS);
            end.setTcpNoDelay(true);
            client.setTcpNoDelay(true);
            DaemonThreads.start("amo-relay-request", () -> pump(client, end));
            pump(end, client);
        } catch (IOException e) {
            // The client sees the end of its connection.
            return;
        }
    }

    /** When one side ends, both do. */
    private static void pump(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // One of them is gone.
        } finally {
            closeQuietly(from);
            closeQuietly(to);
        }
    }

    private static void closeQuietly(Closeable socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is gone, which is all that is wanted.
            return;
        }
    }
}
