package org.amo.examples.grid;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.amo.dpg.Tag;
import org.amo.dpg.udp.DpgEndpoint;
import org.amo.dpg.udp.DpgEndpointOptions;
import org.amo.dpg.udp.DpgNodeOptions;
import org.amo.dpg.udp.DpgReceiver;
import org.amo.dpg.udp.DpgSequencer;
import org.amo.replication.FreePorts;

/** Sites on DPG over UDP, with tag sequencers. */
final class DpgNetwork implements GridMember.NetworkOfSite, AutoCloseable {
    /** For sites of one machine. */
    static final String SECRET = "the secret of the grid";

    private static final Duration PATIENCE = Duration.ofMillis(500);
    private static final int SEQUENCERS = 2;

    private final DpgNodeOptions node;
    private final List<InetSocketAddress> sites;
    private final List<InetSocketAddress> sequencerAddresses;
    private final String secret;
    private final List<DpgSequencer> sequencers = new ArrayList<>();

    /** With no sequencer in this process yet. */
    DpgNetwork(List<InetSocketAddress> sites, List<InetSocketAddress> sequencers, String secret) {
        this.sites = sites;
        this.sequencerAddresses = sequencers;
        this.secret = secret;
        this.node = DpgNodeOptions.builder(secret)
                .core(DpgNodeOptions.coreFor(sites.size()).build())
                .sequencers(sequencers.size())
                .build();
    }

    /** All sites and sequencers in this process. */
    static DpgNetwork inOneProcess(int sites) throws IOException {
        List<InetSocketAddress> all = new ArrayList<>();
        for (int port : FreePorts.find(sites + SEQUENCERS)) {
            all.add(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        }
        DpgNetwork network = new DpgNetwork(all.subList(0, sites), all.subList(sites, sites + SEQUENCERS), SECRET);
        for (int i = 0; i < SEQUENCERS; i++) {
            network.openSequencer(i);
        }
        return network;
    }

    /** Runs the first sequencer whose address this process can have. @return its index, or nothing if there is none */
    OptionalInt openFreeSequencer() {
        for (int i = 0; i < sequencerAddresses.size(); i++) {
            try {
                openSequencer(i);
                return OptionalInt.of(i);
            } catch (IOException e) {
                // Another process has it, or it is another machine's.
                continue;
            }
        }
        return OptionalInt.empty();
    }

    private void openSequencer(int index) throws IOException {
        sequencers.add(DpgSequencer.open(DpgSequencer.Options.builder(index, secret)
                .listen(sequencerAddresses.get(index))
                .build()));
    }

    @Override
    public GridMember.Network open(int site, Consumer<byte[]> deliveries) throws IOException {
        List<InetSocketAddress> others = new ArrayList<>(sites);
        others.remove(site);
        DpgEndpoint endpoint = DpgEndpoint.open(
                DpgEndpointOptions.builder(node, sequencerAddresses)
                        .listen(sites.get(site))
                        .peers(others)
                        .build(),
                new DpgReceiver() {
                    @Override
                    public void onMessage(Tag tag, byte[] body, boolean own) {
                        deliveries.accept(body);
                    }

                    @Override
                    public void onDummy(Tag tag) {
                        // A site that has gone with the message sends no more about its units; other sites claim them.
                    }

                    @Override
                    public void onSegment(Tag after) {
                        // The next message about each unit makes up for the missed ones.
                    }
                });
        return new GridMember.Network() {
            @Override
            public void send(byte[] message) throws InterruptedException {
                endpoint.send(message, PATIENCE);
            }

            @Override
            public void close() {
                endpoint.close();
            }
        };
    }

    @Override
    public void close() {
        sequencers.forEach(DpgSequencer::close);
    }
}
