package org.amo.dpg.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.amo.base.DaemonThreads;
import org.amo.dpg.Tag;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows D11 and D13: the pauses of three sites while a fourth, a real process, is killed, comes back, and is stopped. */
@Timeout(90)
class PausesTest {
    static final long BETWEEN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    /** Half of an absence: a site that waited for the other one until that was absent would pause for longer. */
    private static final long MOST_MILLIS = 500;

    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<Watched> steady = new ArrayList<>();
    private volatile boolean ended;

    /** A site of this process, which sends all the time. */
    private final class Watched implements DpgReceiver {
        private final List<String> delivered = new ArrayList<>();
        private final DpgEndpoint endpoint;
        private int dummies;
        private long lastNanos = System.nanoTime();
        private long longestNanos;

        Watched(DpgNodeOptions options, InetSocketAddress sequencer) throws IOException {
            endpoint = DpgEndpoint.open(
                    DpgEndpointOptions.builder(options, List.of(sequencer)).build(), this);
        }

        void sendAllTheTime() {
            DaemonThreads.start("amo-test-sender", () -> {
                try {
                    while (!ended) {
                        endpoint.send(new byte[100], Duration.ofSeconds(1));
                        LockSupport.parkNanos(BETWEEN_NANOS);
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }

        @Override
        public synchronized void onMessage(Tag tag, byte[] body, boolean own) {
            long now = System.nanoTime();
            longestNanos = Math.max(longestNanos, now - lastNanos);
            lastNanos = now;
            delivered.add(tag.toString());
        }

        @Override
        public synchronized void onDummy(Tag tag) {
            delivered.add(tag.toString());
            dummies++;
        }

        @Override
        public void onSegment(Tag after) {
            // Compared by what is delivered.
        }

        synchronized int dummies() {
            return dummies;
        }

        synchronized int deliveries() {
            return delivered.size();
        }

        synchronized List<String> delivered() {
            return List.copyOf(delivered);
        }

        synchronized long takeLongestMillis() {
            long longest = Math.max(longestNanos, System.nanoTime() - lastNanos);
            longestNanos = 0;
            return TimeUnit.NANOSECONDS.toMillis(longest);
        }
    }

    @AfterEach
    void closeAll() throws Exception {
        ended = true;
        for (Watched site : steady) {
            site.endpoint.close();
        }
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    private long longestMillis() {
        long longest = 0;
        for (Watched site : steady) {
            longest = Math.max(longest, site.takeLongestMillis());
        }
        return longest;
    }

    /** With times by the clock, and in counted messages. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theOthersWaitForNoSiteThatIsKilledOrStopped(boolean counts) throws Exception {
        DpgNodeOptions options = SiteProcess.options(counts);
        DpgSequencer sequencer = DpgSequencer.open(
                DpgSequencer.Options.builder(0, TestSite.SECRET).build());
        open.add(sequencer);
        int port = freePort();
        List<InetSocketAddress> addresses = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            steady.add(new Watched(options, sequencer.address()));
            addresses.add(steady.get(i).endpoint.address());
        }
        for (Watched site : steady) {
            site.endpoint.addPeer(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            addresses.stream()
                    .filter(each -> !each.equals(site.endpoint.address()))
                    .forEach(site.endpoint::addPeer);
            site.sendAllTheTime();
        }
        SiteProcess first = SiteProcess.start(port, sequencer.address(), addresses, counts);
        open.add(first);
        awaitDeliveries(first, 1, 100);
        List<String> told = new ArrayList<>();
        longestMillis();
        awaitTime(1_000_000);
        check("all present", told);
        first.signal("KILL");
        awaitAbsence(options);
        check("one killed", told);
        SiteProcess second = SiteProcess.start(port, sequencer.address(), addresses, counts);
        open.add(second);
        awaitDeliveries(second, 1, 100);
        check("its return", told);
        second.signal("STOP");
        second.awaitStop();
        awaitAbsence(options);
        check("one stopped", told);
        second.signal("CONT");
        awaitDeliveries(second, 2, 100);
        check("it goes on", told);
        System.out.println("pauses at the others" + (counts ? ", times in counted messages: " : ": ") + told);
        List<String> common = steady.get(0).delivered();
        for (Watched site : steady) {
            assertEquals(0, site.dummies());
            List<String> its = site.delivered();
            int least = Math.min(common.size(), its.size());
            assertEquals(common.subList(0, least), its.subList(0, least));
        }
        for (List<String> segment : second.segments()) {
            Awaitility.await()
                    .until(() -> Collections.indexOfSubList(steady.get(0).delivered(), segment) >= 0);
        }
    }

    private void check(String what, List<String> told) {
        long millis = longestMillis();
        told.add(what + " " + millis + " ms");
        assertTrue(millis <= MOST_MILLIS, told::toString);
    }

    /** Until a site that is silent meanwhile has been absent for a while, for the others and for itself. */
    private void awaitAbsence(DpgNodeOptions options) {
        long micros = options.core().absenceMicros() * 3 / 2;
        long counted = options.core().messageMicros();
        List<Integer> enough = new ArrayList<>();
        for (Watched site : steady) {
            enough.add(site.deliveries() + (counted == 0 ? 1 : (int) (micros / counted)));
        }
        awaitTime(micros);
        Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> {
            boolean all = true;
            for (int i = 0; i < steady.size(); i++) {
                all &= steady.get(i).deliveries() >= enough.get(i);
            }
            return all;
        });
    }

    /** Time in which pauses are looked for. A thread that is parked for so long may go on at once. */
    private static void awaitTime(long micros) {
        long end = System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(micros);
        Awaitility.await().until(() -> System.nanoTime() - end > 0);
    }

    private static void awaitDeliveries(SiteProcess site, int segments, int deliveries) {
        Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> {
            List<List<String>> all = site.segments();
            return all.size() >= segments && all.get(all.size() - 1).size() >= deliveries;
        });
    }

    private static int freePort() throws IOException {
        try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
