package org.amo.dpg.udp;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;

/**
 * Configures a site on UDP. Immutable.
 *
 * <p>Messages go to a multicast group, or to each of a list of peers, or both. The list names sites that may be present: an
 * absent one costs nothing but the datagrams.
 *
 * @param node settings on which sites and sequencers agree
 * @param listen where its socket is; port 0 for any
 * @param group address and port of the multicast group, if there is one
 * @param through an address of the network interface that the group is joined on, and sent to
 * @param peers other sites, by address; more can be added later
 * @param sequencers where the tag sequencers are, in the order that all sites give them
 * @param socketBufferBytes for each direction
 * @param waiting most messages that wait for the admission buffers; a sender above it waits
 */
public record DpgEndpointOptions(
        DpgNodeOptions node,
        InetSocketAddress listen,
        Optional<InetSocketAddress> group,
        InetAddress through,
        List<InetSocketAddress> peers,
        List<InetSocketAddress> sequencers,
        int socketBufferBytes,
        int waiting) {

    public DpgEndpointOptions {
        peers = List.copyOf(peers);
        sequencers = List.copyOf(sequencers);
        if (sequencers.size() != node.sequencers()) {
            throw new IllegalArgumentException("the node's options say that there are " + node.sequencers()
                    + " sequencers, and " + sequencers.size() + " addresses are given: " + sequencers);
        }
        if (group.isPresent() && !group.get().getAddress().isMulticastAddress()) {
            throw new IllegalArgumentException(
                    "not a multicast address: " + group.get() + "; give one of 224.0.0.0 to 239.255.255.255, or peers");
        }
        if (waiting < 1) {
            throw new IllegalArgumentException("waiting must be positive: " + waiting);
        }
    }

    /** With peers that are given later, on any port of the loopback. */
    public static DpgEndpointOptions of(DpgNodeOptions node, List<InetSocketAddress> sequencers) {
        return new DpgEndpointOptions(
                node,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Optional.empty(),
                InetAddress.getLoopbackAddress(),
                List.of(),
                sequencers,
                4 << 20,
                256);
    }

    /** In a multicast group, joined and sent to through the interface that has the second address. */
    public DpgEndpointOptions group(InetSocketAddress address, InetAddress ofInterface) {
        return new DpgEndpointOptions(
                node, listen, Optional.of(address), ofInterface, peers, sequencers, socketBufferBytes, waiting);
    }

    public DpgEndpointOptions listen(InetSocketAddress address) {
        return new DpgEndpointOptions(node, address, group, through, peers, sequencers, socketBufferBytes, waiting);
    }

    public DpgEndpointOptions peers(List<InetSocketAddress> others) {
        return new DpgEndpointOptions(node, listen, group, through, others, sequencers, socketBufferBytes, waiting);
    }
}
