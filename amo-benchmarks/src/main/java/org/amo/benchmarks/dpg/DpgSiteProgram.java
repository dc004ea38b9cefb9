package org.amo.benchmarks.dpg;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.amo.dpg.Tag;
import org.amo.dpg.udp.DpgEndpoint;
import org.amo.dpg.udp.DpgReceiver;

/** A site in a process of its own, which says that it is ready, and then sends a message each ten milliseconds until it is killed. */
final class DpgSiteProgram {
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final int BYTES = 1_000;
    private static final long BETWEEN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private DpgSiteProgram() {}

    /** @param arguments {@link DpgMulticast#arguments} */
    public static void main(String[] arguments) throws Exception {
        InetSocketAddress group = new InetSocketAddress(arguments[1], Integer.parseInt(arguments[2]));
        DpgEndpoint endpoint = DpgEndpoint.open(
                DpgMulticast.options(
                        Integer.parseInt(arguments[0]), group, List.of(local(arguments[3]), local(arguments[4]))),
                new DpgReceiver() {
                    @Override
                    public void onMessage(Tag tag, byte[] body, boolean own) {
                        // The others are watched.
                    }

                    @Override
                    public void onDummy(Tag tag) {
                        // The others are watched.
                    }

                    @Override
                    public void onSegment(Tag after) {
                        // The others are watched.
                    }
                });
        while (!endpoint.anchored().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
            LockSupport.parkNanos(BETWEEN_NANOS);
        }
        System.out.println("ready");
        System.out.flush();
        while (true) {
            endpoint.send(
                    DeliveryLog.message(ThreadLocalRandom.current().nextLong(Long.MIN_VALUE, 0), BYTES), PATIENCE);
            LockSupport.parkNanos(BETWEEN_NANOS);
        }
    }

    private static InetSocketAddress local(String port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port));
    }
}
