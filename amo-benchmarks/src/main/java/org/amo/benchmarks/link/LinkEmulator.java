package org.amo.benchmarks.link;

import com.sun.jna.LastErrorException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.amo.base.DaemonThreads;

/**
 * Two network namespaces, left (10.77.0.1) and right (10.77.0.2), and the link between them. A socket belongs to the side of
 * the thread that makes it, and so do threads and processes that it starts; they can then be used from anywhere.
 *
 * <p>Needs Linux, /dev/net/tun and the right to make network namespaces: root, or {@code unshare -Ur} where the kernel lets
 * any user. Nothing is left behind: the namespaces end with the process.
 */
public final class LinkEmulator implements AutoCloseable {
    private static final int PACKET_BYTES = 2_048;
    private static final int PACKETS_AT_ONCE = 16;
    private static final int DEVICE_QUEUE = 2_000;
    private static final long LONGEST_WAIT_NANOS = 20_000_000;
    private static final long START_SECONDS = 20;

    private final ExecutorService left = side("left");
    private final ExecutorService right = side("right");
    private final int leftTun;
    private final int rightTun;
    private final LinkDirection toRight;
    private final LinkDirection toLeft;
    private final Thread carrier;
    private volatile boolean open = true;

    private LinkEmulator(LinkSettings settings) throws LinkUnavailableException {
        toRight = new LinkDirection(settings, settings.seed());
        toLeft = new LinkDirection(settings, ~settings.seed());
        leftTun = prepare(left, "amo0", 1);
        rightTun = prepare(right, "amo0", 2);
        carrier = DaemonThreads.start("amo-link", this::carry);
    }

    /** @throws LinkUnavailableException where the system does not permit it */
    public static LinkEmulator open(LinkSettings settings) throws LinkUnavailableException {
        return new LinkEmulator(settings);
    }

    /** An address of the left side. */
    public static InetSocketAddress left(int port) {
        return address(1, port);
    }

    /** An address of the right side. */
    public static InetSocketAddress right(int port) {
        return address(2, port);
    }

    private static InetSocketAddress address(int lastByte, int port) {
        try {
            return new InetSocketAddress(InetAddress.getByAddress(new byte[] {10, 77, 0, (byte) lastByte}), port);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("four bytes are an address", e);
        }
    }

    /** Runs something on the left side, and waits for it. */
    public <T> T onLeft(Callable<T> task) throws Exception {
        return await(left, task);
    }

    /** Runs something on the right side, and waits for it. */
    public <T> T onRight(Callable<T> task) throws Exception {
        return await(right, task);
    }

    /** From left to right. Only exact while nothing is on its way. */
    public LinkStatistics toRight() {
        return toRight.statistics();
    }

    @Override
    public void close() {
        open = false;
        DaemonThreads.join(carrier, TimeUnit.SECONDS.toMillis(START_SECONDS));
        LinuxCalls.closeDescriptor(leftTun);
        LinuxCalls.closeDescriptor(rightTun);
        left.shutdown();
        right.shutdown();
    }

    private static int prepare(ExecutorService side, String device, int lastByte) throws LinkUnavailableException {
        try {
            return await(side, () -> {
                LinuxCalls.ownNetwork();
                LinuxCalls.startLoopback();
                int tun = LinuxCalls.openTun(device);
                LinuxCalls.start(device, lastByte, DEVICE_QUEUE);
                return tun;
            });
        } catch (LastErrorException e) {
            throw new LinkUnavailableException("no network namespaces with TUN devices here (errno " + e.getErrorCode()
                    + "); run as root, or under unshare -Ur, on a Linux with /dev/net/tun");
        } catch (UnsatisfiedLinkError | NoClassDefFoundError e) {
            throw new LinkUnavailableException("no system calls here (" + e.getMessage() + "); the link needs Linux");
        } catch (Exception e) {
            throw new LinkUnavailableException("the link cannot be made: " + e);
        }
    }

    private static <T> T await(ExecutorService side, Callable<T> task) throws Exception {
        try {
            return side.submit(task).get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Exception known) {
                throw known;
            }
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw e;
        }
    }

    private void carry() {
        LinuxCalls.runFirst(); // else others' work is jitter of the link
        byte[] buffer = new byte[PACKET_BYTES];
        while (open) {
            deliver(toRight, rightTun);
            deliver(toLeft, leftTun);
            long next = Math.min(toRight.nextArrivalNanos(), toLeft.nextArrivalNanos()) - System.nanoTime();
            int ready = LinuxCalls.await(leftTun, rightTun, Math.max(0, Math.min(LONGEST_WAIT_NANOS, next)));
            if ((ready & 1) != 0) {
                read(leftTun, toRight, buffer);
            }
            if ((ready & 2) != 0) {
                read(rightTun, toLeft, buffer);
            }
        }
    }

    private static void read(int tun, LinkDirection into, byte[] buffer) {
        for (int i = 0; i < PACKETS_AT_ONCE; i++) {
            int length = LinuxCalls.readPacket(tun, buffer);
            if (length == 0) {
                return;
            }
            into.enter(Arrays.copyOf(buffer, length), System.nanoTime());
        }
    }

    private static void deliver(LinkDirection from, int tun) {
        Optional<byte[]> packet = from.leave(System.nanoTime());
        while (packet.isPresent()) {
            LinuxCalls.writePacket(tun, packet.orElseThrow());
            packet = from.leave(System.nanoTime());
        }
    }

    private static ExecutorService side(String name) {
        return Executors.newSingleThreadExecutor(DaemonThreads.factory("amo-link-" + name));
    }
}
