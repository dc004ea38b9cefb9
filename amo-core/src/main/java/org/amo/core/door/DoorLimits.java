package org.amo.core.door;

/**
 * How much the peers of one port may take. A value, checked when it is made. A connection is unproved until it is
 * authenticated or, where there is no authentication, until one of its requests has been answered.
 *
 * @param connections open at a time
 * @param connectionsPerAddress open at a time from one address
 * @param unprovedConnectionBytes held for one unproved connection
 * @param unprovedBytes held for all unproved connections
 * @param connectionBytes held for one connection that is proved
 * @param bytes held for all connections
 */
public record DoorLimits(
        int connections,
        int connectionsPerAddress,
        long unprovedConnectionBytes,
        long unprovedBytes,
        long connectionBytes,
        long bytes) {

    /**
     * Half of the connections, so that no single address can keep all others out. Clients behind one address, of a proxy or a
     * balancer, share it.
     */
    public static int shareOfAddress(int connections) {
        return (connections + 1) / 2;
    }

    public DoorLimits {
        if (connections < 1 || connectionsPerAddress < 1) {
            throw new IllegalArgumentException("a port takes one connection at least: connections=" + connections
                    + " connectionsPerAddress=" + connectionsPerAddress);
        }
        if (unprovedConnectionBytes < 1
                || unprovedBytes < unprovedConnectionBytes
                || connectionBytes < unprovedConnectionBytes
                || bytes < connectionBytes
                || bytes < unprovedBytes) {
            throw new IllegalArgumentException("the bytes of one connection must fit those of all: unproved "
                    + unprovedConnectionBytes + " of " + unprovedBytes + ", proved " + connectionBytes + " of "
                    + bytes);
        }
    }
}
