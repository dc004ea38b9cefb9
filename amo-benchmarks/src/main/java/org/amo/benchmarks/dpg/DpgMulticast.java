package org.amo.benchmarks.dpg;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.amo.dpg.Tag;
import org.amo.dpg.udp.DpgEndpoint;
import org.amo.dpg.udp.DpgEndpointOptions;
import org.amo.dpg.udp.DpgMetrics;
import org.amo.dpg.udp.DpgNodeOptions;
import org.amo.dpg.udp.DpgReceiver;
import org.amo.dpg.udp.DpgSequencer;

/** DPG over a UDP multicast group of the loopback, with a tag sequencer and a standby. */
final class DpgMulticast implements Multicast {
    private static final String SECRET = "a secret of the benchmark";
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final int sites;
    private final DpgSequencer first;
    private final DpgSequencer standby;
    private final InetSocketAddress group;

    private long messageBytes;
    private long reportBytes;
    private long returns;
    private long dummies;
    private long forced;
    private long compared;
    private long violations;

    DpgMulticast(int sites) throws IOException {
        this.sites = sites;
        first = DpgSequencer.open(DpgSequencer.Options.builder(0, SECRET).build());
        standby = DpgSequencer.open(DpgSequencer.Options.builder(1, SECRET).build());
        int low = ThreadLocalRandom.current().nextInt(1, 255);
        group = new InetSocketAddress(
                InetAddress.getByAddress(new byte[] {(byte) 239, 77, 3, (byte) low}),
                first.address().getPort());
    }

    static DpgEndpointOptions options(int sites, InetSocketAddress group, List<InetSocketAddress> sequencers) {
        DpgNodeOptions node = DpgNodeOptions.builder(SECRET)
                .core(DpgNodeOptions.coreFor(sites).build())
                .sequencers(sequencers.size())
                .build();
        return DpgEndpointOptions.builder(node, sequencers)
                .group(group, InetAddress.getLoopbackAddress())
                .build();
    }

    /** For {@link DpgSiteProgram}: the number of sites, address and port of the group, the ports of the sequencers. */
    List<String> arguments() {
        return List.of(
                Integer.toString(sites),
                group.getAddress().getHostAddress(),
                Integer.toString(group.getPort()),
                Integer.toString(first.address().getPort()),
                Integer.toString(standby.address().getPort()));
    }

    @Override
    public String name() {
        return "dpg";
    }

    @Override
    public Member join(int site, DeliveryLog deliveries) throws IOException {
        DpgEndpointOptions options = options(sites, group, List.of(first.address(), standby.address()));
        DpgEndpoint endpoint = DpgEndpoint.open(options, new DpgReceiver() {
            @Override
            public void onMessage(Tag tag, byte[] body, boolean own) {
                deliveries.delivered(body, 0);
            }

            @Override
            public void onDummy(Tag tag) {
                deliveries.dummy();
            }

            @Override
            public void onSegment(Tag after) {
                deliveries.segment();
            }
        });
        return new Member() {
            @Override
            public boolean send(byte[] message) throws InterruptedException {
                return endpoint.send(message, PATIENCE);
            }

            @Override
            public void close() {
                collect(endpoint);
                endpoint.close();
            }
        };
    }

    private synchronized void collect(DpgEndpoint endpoint) {
        try {
            DpgMetrics figures = endpoint.figures().get(2, TimeUnit.SECONDS);
            messageBytes += figures.messageBytes();
            reportBytes += figures.reportBytes();
            returns += figures.returns();
            dummies += figures.dummies();
            forced += figures.forced();
            compared += figures.digestsCompared();
            violations += figures.violations();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("a site does not tell its figures", e);
        }
    }

    /** Of the members that were closed. */
    synchronized double reportSharePercent() {
        return 100.0 * reportBytes / Math.max(1, reportBytes + messageBytes);
    }

    /** Of the members that were closed: how often a site took itself for absent, gave a body up, and forced the order. */
    synchronized String incidents() {
        return returns + " returns, " + dummies + " dummies, " + forced + " forced, " + violations + " of " + compared
                + " digests differ";
    }

    @Override
    public void close() {
        first.close();
        standby.close();
    }
}
