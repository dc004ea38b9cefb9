package org.amo.dpg.udp;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;

/**
 * How a site on UDP runs.
 *
 * <p>Messages go to a multicast group, or to each of a list of peers, or both. The list names sites that may be present: an
 * absent one costs nothing but the datagrams. All addresses are of IPv4.
 *
 * @param node settings on which sites and sequencers agree
 * @param listen where its socket is; port 0 for any. Default any port of the loopback
 * @param group address and port of the multicast group, if there is one. Default none
 * @param through an address of the network interface that the group is joined on, and sent to. Default the loopback's
 * @param peers other sites, by address; more can be added later. Default none
 * @param sequencers where the tag sequencers are, in the order that all sites give them
 * @param socketBufferBytes for each direction. Default 4 MiB
 * @param waiting most messages that wait for the admission buffers; a sender above it waits. Default 256
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

    /** @throws IllegalArgumentException naming the setting that does not fit the others */
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

    /** @param sequencers where the tag sequencers are, in the order that all sites give them */
    public static Builder builder(DpgNodeOptions node, List<InetSocketAddress> sequencers) {
        return new Builder(node, sequencers);
    }

    /** Collects options; {@link #build} checks them. */
    public static final class Builder {
        private final DpgNodeOptions node;
        private final List<InetSocketAddress> sequencers;
        private InetSocketAddress listen = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        private Optional<InetSocketAddress> group = Optional.empty();
        private InetAddress through = InetAddress.getLoopbackAddress();
        private List<InetSocketAddress> peers = List.of();
        private int socketBufferBytes = 4 << 20;
        private int waiting = 256;

        private Builder(DpgNodeOptions node, List<InetSocketAddress> sequencers) {
            this.node = node;
            this.sequencers = sequencers;
        }

        public Builder listen(InetSocketAddress address) {
            listen = address;
            return this;
        }

        /** In a multicast group, joined and sent to through the interface that has the second address. */
        public Builder group(InetSocketAddress address, InetAddress ofInterface) {
            group = Optional.of(address);
            through = ofInterface;
            return this;
        }

        public Builder peers(List<InetSocketAddress> others) {
            peers = others;
            return this;
        }

        public Builder socketBufferBytes(int bytes) {
            socketBufferBytes = bytes;
            return this;
        }

        public Builder waiting(int messages) {
            waiting = messages;
            return this;
        }

        /** @throws IllegalArgumentException naming the setting that does not fit the others */
        public DpgEndpointOptions build() {
            return new DpgEndpointOptions(node, listen, group, through, peers, sequencers, socketBufferBytes, waiting);
        }
    }
}
