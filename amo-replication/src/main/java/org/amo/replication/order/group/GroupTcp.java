package org.amo.replication.order.group;

import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jgroups.Address;
import org.jgroups.protocols.TCP;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * JGroups' TCP transport, in which no peer holds up another. In the original one thread writes to all peers, and a peer
 * that reads nothing (stopped, or cut off with a full buffer) holds up whoever sends to the group; the thread that takes
 * such a peer out of the view waits behind it, so that the group does not even get rid of it.
 *
 * <p>Here each peer has a {@link FrameQueue}, and the connection to one that has left the view is closed without a word.
 */
class GroupTcp extends TCP {
    private static final Logger LOG = LoggerFactory.getLogger(GroupTcp.class);

    private final Map<Address, FrameQueue> queues = new ConcurrentHashMap<>();

    GroupTcp() {
        useLockToSend(false); // one thread writes to a connection
    }

    @Override
    public final void send(Address peer, byte[] data, int offset, int length) {
        FrameQueue queue = queues.computeIfAbsent(peer, this::open);
        if (!queue.offer(frame(data, offset, length))) {
            LOG.trace("a frame of {} bytes to {} was dropped", length, peer);
        }
    }

    /** What goes over the wire; a copy, since the caller uses the array again. */
    byte[] frame(byte[] data, int offset, int length) {
        return Arrays.copyOfRange(data, offset, offset + length);
    }

    /** Called when the view changes. */
    @Override
    public final void retainAll(Collection<Address> peers) {
        closeAllBut(Set.copyOf(peers));
        super.retainAll(peers);
    }

    @Override
    protected final void handleDisconnect() {
        closeAllBut(Set.of());
        super.handleDisconnect();
    }

    @Override
    public final void stop() {
        closeAllBut(Set.of());
        super.stop();
    }

    private void closeAllBut(Set<Address> peers) {
        queues.entrySet().removeIf(entry -> {
            boolean goes = !peers.contains(entry.getKey());
            if (goes) {
                entry.getValue().close();
            }
            return goes;
        });
        srv.forAllConnections((peer, connection) -> {
            if (!peers.contains(peer)) {
                try {
                    connection.close(false); // a word of farewell would wait behind all that the peer does not read
                } catch (Exception e) {
                    LOG.trace("closing the connection to {}", peer, e);
                }
            }
        });
    }

    private FrameQueue open(Address peer) {
        return new FrameQueue(
                task -> getThreadFactory().newThread(task, "send"), frame -> super.send(peer, frame, 0, frame.length));
    }
}
