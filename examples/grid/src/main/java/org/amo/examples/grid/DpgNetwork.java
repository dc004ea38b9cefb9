package org.amo.examples.grid;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.amo.dpg.Tag;
import org.amo.dpg.udp.DpgEndpoint;
import org.amo.dpg.udp.DpgEndpointOptions;
import org.amo.dpg.udp.DpgNodeOptions;
import org.amo.dpg.udp.DpgReceiver;
import org.amo.dpg.udp.DpgSequencer;
import org.amo.replication.FreePorts;

/** Sites on DPG over UDP, with a tag sequencer and a standby. */
final class DpgNetwork implements GridMember.NetworkOfSite, AutoCloseable {
    private static final String SECRET = "the secret of the grid";
    private static final Duration PATIENCE = Duration.ofMillis(500);
    private static final int SEQUENCERS = 2;

    private final DpgNodeOptions node;
    private final List<InetSocketAddress> addresses;
    private final List<InetSocketAddress> sequencerAddresses;
    private final List<DpgSequencer> sequencers = new ArrayList<>();

    private DpgNetwork(List<Integer> ports, int sites) {
        node = DpgNodeOptions.builder(SECRET)
                .core(DpgNodeOptions.coreFor(sites).build())
                .sequencers(SEQUENCERS)
                .build();
        List<InetSocketAddress> all = new ArrayList<>();
        for (int port : ports) {
            all.add(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        }
        addresses = all.subList(0, sites);
        sequencerAddresses = all.subList(sites, sites + SEQUENCERS);
    }

    /** All sites and sequencers in this process. */
    static DpgNetwork inOneProcess(int sites) throws IOException {
        DpgNetwork network = new DpgNetwork(FreePorts.find(sites + SEQUENCERS), sites);
        for (int i = 0; i < SEQUENCERS; i++) {
            network.openSequencer(i);
        }
        return network;
    }

    /**
     * One site in this process. The processes of the first two have the sequencers.
     *
     * @param firstPort of the first site; the others, and then the sequencers, have the next ones
     */
    static DpgNetwork ofSite(int site, int sites, int firstPort) throws IOException {
        List<Integer> ports = new ArrayList<>();
        for (int i = 0; i < sites + SEQUENCERS; i++) {
            ports.add(firstPort + i);
        }
        DpgNetwork network = new DpgNetwork(ports, sites);
        if (site < SEQUENCERS) {
            network.openSequencer(site);
        }
        return network;
    }

    private void openSequencer(int index) throws IOException {
        sequencers.add(DpgSequencer.open(DpgSequencer.Options.builder(index, SECRET)
                .listen(sequencerAddresses.get(index))
                .build()));
    }

    @Override
    public GridMember.Network open(int site, Consumer<byte[]> deliveries) throws IOException {
        List<InetSocketAddress> others = new ArrayList<>(addresses);
        others.remove(site);
        DpgEndpoint endpoint = DpgEndpoint.open(
                DpgEndpointOptions.builder(node, sequencerAddresses)
                        .listen(addresses.get(site))
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
