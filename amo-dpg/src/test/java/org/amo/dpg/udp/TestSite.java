package org.amo.dpg.udp;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.amo.dpg.Tag;
import org.awaitility.Awaitility;

/** An endpoint of a test and what it delivered. */
final class TestSite implements DpgReceiver, AutoCloseable {
    static final long ABSENCE_MILLIS = 2_000;
    static final String SECRET = "a secret of tests";

    static {
        Awaitility.setDefaultTimeout(Duration.ofSeconds(40));
    }

    private final List<String> delivered = new ArrayList<>();
    private final List<Tag> segments = new ArrayList<>();
    private int segmentBegin;
    private final String name;
    private final DpgEndpoint endpoint;
    private volatile CountDownLatch gate = new CountDownLatch(0);
    private volatile boolean held;

    TestSite(String name, DpgEndpointOptions options) throws Exception {
        this.name = name;
        this.endpoint = DpgEndpoint.open(options, this);
    }

    static DpgNodeOptions node(int sites, int sequencers) {
        return DpgNodeOptions.builder(SECRET)
                // A busy machine must not take a site for absent, nor a PDU for lost.
                .core(DpgNodeOptions.coreFor(sites)
                        .deliveryMicros(ABSENCE_MILLIS * 300, ABSENCE_MILLIS * 8_000)
                        .absence(ABSENCE_MILLIS * 1_000, 4)
                        .build())
                .patience(Duration.ofMillis(ABSENCE_MILLIS / 5))
                .sequencerPatience(Duration.ofMillis(20), Duration.ofMillis(ABSENCE_MILLIS / 2))
                .sequencers(sequencers)
                .build();
    }

    /** Sites that know each other's addresses, each with a place in the order. */
    static List<TestSite> group(DpgNodeOptions node, List<InetSocketAddress> sequencers, String... names)
            throws Exception {
        List<TestSite> sites = new ArrayList<>();
        for (String each : names) {
            TestSite site = new TestSite(
                    each, DpgEndpointOptions.builder(node, sequencers).build());
            site.meet(sites);
            sites.add(site);
        }
        awaitAnchored(sites);
        return sites;
    }

    static void awaitAnchored(List<TestSite> sites) {
        Awaitility.await().until(() -> {
            for (TestSite site : sites) {
                if (!site.endpoint.anchored().get(5, TimeUnit.SECONDS)) {
                    return false;
                }
            }
            return true;
        });
    }

    void meet(List<TestSite> others) {
        for (TestSite other : others) {
            endpoint.addPeer(other.endpoint.address());
            other.endpoint.addPeer(endpoint.address());
        }
    }

    DpgEndpoint endpoint() {
        return endpoint;
    }

    DpgMetrics figures() throws Exception {
        return endpoint.figures().get(5, TimeUnit.SECONDS);
    }

    void say(String... words) throws Exception {
        for (String word : words) {
            if (!endpoint.send(word.getBytes(StandardCharsets.UTF_8), Duration.ofSeconds(20))) {
                throw new IllegalStateException(name + " could not send " + word);
            }
        }
    }

    /** Says NAME-FIRST to NAME-(FIRST + COUNT - 1). */
    void count(int first, int count) throws Exception {
        for (int i = first; i < first + count; i++) {
            say(name + "-" + i);
        }
    }

    /** From the next delivery on the endpoint's thread stands still until {@link #release}. */
    void hold() {
        gate = new CountDownLatch(1);
    }

    boolean isHeld() {
        return held;
    }

    void release() {
        gate.countDown();
    }

    synchronized List<String> delivered() {
        return List.copyOf(delivered);
    }

    synchronized List<Tag> segments() {
        return List.copyOf(segments);
    }

    @Override
    public void onMessage(Tag tag, byte[] body, boolean own) {
        String text = new String(body, StandardCharsets.UTF_8);
        if (own != text.startsWith(name + "-")) {
            throw new IllegalStateException(name + " takes " + text + " for " + (own ? "" : "not ") + "its own");
        }
        held = gate.getCount() > 0;
        try {
            gate.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        held = false;
        synchronized (this) {
            delivered.add(text);
        }
    }

    @Override
    public synchronized void onDummy(Tag tag) {
        delivered.add("dummy");
    }

    /** What was delivered since the last segment began. */
    synchronized List<String> lastSegment() {
        return List.copyOf(delivered.subList(segmentBegin, delivered.size()));
    }

    @Override
    public synchronized void onSegment(Tag after) {
        segments.add(after);
        segmentBegin = delivered.size();
    }

    @Override
    public void close() {
        release();
        endpoint.close();
    }
}
