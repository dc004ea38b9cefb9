package org.amo.replication.order.group;

import java.io.DataInput;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jgroups.Address;
import org.jgroups.protocols.TCP;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * JGroups' TCP transport with every frame sealed by {@link FrameSeal}.
 *
 * <p>It stands below everything: discovery, heartbeats, joins, headers and entries. A process without the secret can open a
 * connection, but JGroups sees none whose first frame does not open ({@link OrderDoor}), and further frames are dropped, so a
 * separate admission (AUTH) has nothing left to guard. JGroups' own SYM_ENCRYPT leaves headers and the protocols below it in
 * the clear and offers no mode with a tag.
 */
final class SealedTcp extends TCP {
    private static final Logger LOG = LoggerFactory.getLogger(SealedTcp.class);
    /** Bundles and fragments are at most 64 KB; the rest is slack for headers. */
    private static final int MAX_FRAME_LENGTH = 1 << 20;

    /** A member that was away while the group exchanged its secret may come at any time. */
    private static final long WARN_EVERY_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final FrameSeal seal;
    private final AtomicLong warnAtNanos = new AtomicLong(System.nanoTime());

    SealedTcp(FrameSeal seal) {
        this.seal = seal;
    }

    /** Whether a frame proves the connection that it came over. It stays new: {@link #receive} takes it later. */
    boolean proves(SocketAddress sender, byte[] frame) {
        boolean proves = seal.opens(frame);
        if (!proves) {
            warn(sender);
        }
        return proves;
    }

    @Override
    public void send(Address dest, byte[] data, int offset, int length) throws Exception {
        byte[] frame = seal.seal(data, offset, length);
        super.send(dest, frame, 0, frame.length);
    }

    @Override
    public void receive(Address sender, byte[] data, int offset, int length) {
        seal.open(data, offset, length)
                .ifPresentOrElse(content -> super.receive(sender, content, 0, content.length), () -> warn(sender));
    }

    @Override
    public void receive(Address sender, DataInput in, int length) throws Exception {
        if (length < 0 || length > MAX_FRAME_LENGTH) {
            // Closes the connection; nothing of that size was allocated.
            throw new IOException("frame of " + length + " bytes from " + sender + ", at most " + MAX_FRAME_LENGTH);
        }
        receive(sender, OrderDoor.read(in, length), 0, length);
    }

    private void warn(Object sender) {
        long now = System.nanoTime();
        long at = warnAtNanos.get();
        if (now - at >= 0 && warnAtNanos.compareAndSet(at, now + WARN_EVERY_NANOS)) {
            LOG.warn(
                    "a frame from {} was not sealed with this group's secret and was dropped (said once a minute); if that is a"
                            + " member, one of the two has not taken part in an exchange of the secret or has another group name:"
                            + " give it the secret file of the members that serve",
                    sender);
        }
    }
}
