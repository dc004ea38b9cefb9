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

    private final DpgNodeOptions node;
    private final List<InetSocketAddress> addresses = new ArrayList<>();
    private final DpgSequencer first;
    private final DpgSequencer standby;

    DpgNetwork(int sites) throws IOException {
        node = DpgNodeOptions.builder(SECRET)
                .core(DpgNodeOptions.coreFor(sites).build())
                .sequencers(2)
                .build();
        for (int port : FreePorts.find(sites)) {
            addresses.add(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        }
        first = DpgSequencer.open(DpgSequencer.Options.builder(0, SECRET).build());
        standby = DpgSequencer.open(DpgSequencer.Options.builder(1, SECRET).build());
    }

    @Override
    public GridMember.Network open(int site, Consumer<byte[]> deliveries) throws IOException {
        List<InetSocketAddress> others = new ArrayList<>(addresses);
        others.remove(site);
        DpgEndpoint endpoint = DpgEndpoint.open(
                DpgEndpointOptions.builder(node, List.of(first.address(), standby.address()))
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
        first.close();
        standby.close();
    }
}
