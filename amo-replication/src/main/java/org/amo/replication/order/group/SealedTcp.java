package org.amo.replication.order.group;

import java.io.DataInput;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jgroups.Address;
import org.jgroups.protocols.TCP;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * JGroups' TCP transport with every frame sealed by {@link FrameSeal}.
 *
 * <p>It stands below everything: discovery, heartbeats, joins, headers and entries. A process without the secret can open a
 * connection, but all of its frames are dropped, so a separate admission (AUTH) has nothing left to guard. JGroups' own
 * SYM_ENCRYPT leaves headers and the protocols below it in the clear and offers no mode with a tag.
 */
final class SealedTcp extends TCP {
    private static final Logger LOG = LoggerFactory.getLogger(SealedTcp.class);
    /** Bundles and fragments are at most 64 KB; the rest is slack for headers. */
    private static final int MAX_FRAME_LENGTH = 1 << 20;

    private final FrameSeal seal;
    private final OrderDoor door;
    private final AtomicBoolean warned = new AtomicBoolean();

    SealedTcp(FrameSeal seal, OrderDoor door) {
        this.seal = seal;
        this.door = door;
    }

    @Override
    public void send(Address dest, byte[] data, int offset, int length) throws Exception {
        byte[] frame = seal.seal(data, offset, length);
        super.send(dest, frame, 0, frame.length);
    }

    @Override
    public void receive(Address sender, byte[] data, int offset, int length) {
        open(sender, data, offset, length).ifPresent(content -> super.receive(sender, content, 0, content.length));
    }

    private void receiveUnproved(GreetedSocket connection, Address sender, DataInput in, int length)
            throws IOException {
        byte[] frame = door.readUnproved(connection, in, length);
        Optional<byte[]> content = open(sender, frame, 0, length);
        if (content.isPresent()) {
            connection.prove();
            super.receive(sender, content.get(), 0, content.get().length);
        }
    }

    @Override
    public void receive(Address sender, DataInput in, int length) throws Exception {
        if (length < 0 || length > MAX_FRAME_LENGTH) {
            // Closes the connection; nothing of that size was allocated.
            throw new IOException("frame of " + length + " bytes from " + sender + ", at most " + MAX_FRAME_LENGTH);
        }
        Optional<GreetedSocket> connection = GreetedSocket.readByThisThread();
        if (connection.isPresent() && !connection.get().isProved()) {
            receiveUnproved(connection.get(), sender, in, length);
        } else {
            receive(sender, OrderDoor.read(in, length), 0, length);
        }
    }

    private Optional<byte[]> open(Address sender, byte[] data, int offset, int length) {
        Optional<byte[]> content = seal.open(data, offset, length);
        if (content.isEmpty() && warned.compareAndSet(false, true)) {
            LOG.warn(
                    "a frame from {} was not sealed with this group's secret and was dropped (said once); if that is a"
                            + " member, give it the same secret file and group name",
                    sender);
        }
        return content;
    }
}
