package org.amo.exon.udp;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.amo.base.Stable;
import org.amo.base.wire.Secrets;
import org.amo.exon.ExonOptions;
import org.amo.exon.NodeId;

/**
 * How an endpoint runs. Immutable.
 *
 * @param id the node's logical name, its own for ever
 * @param listen where its socket is; port 0 for any
 * @param secret shared by all nodes
 * @param clockFile where the node clock's bound is kept; without one a wall clock that was set back may double messages
 * @param timeout of a message without a deadline of its own
 * @param window most bytes that wait or are under way to one node; a sender above it waits
 * @param socketBufferBytes for each direction
 * @param core limits of the protocol
 * @param deliversInLoop whether the receiver is called, and replies complete, in the endpoint's event loop; see {@link
 *     #deliverInLoop}
 */
@Stable
public record ExonEndpointOptions(
        NodeId id,
        InetSocketAddress listen,
        byte[] secret,
        Optional<Path> clockFile,
        Duration timeout,
        int window,
        int socketBufferBytes,
        ExonOptions core,
        boolean deliversInLoop) {
    public ExonEndpointOptions {
        secret = Secrets.check(secret, "the secret of the nodes").clone();
        if (window < core.maxMessageBytes() + 16 || window > core.maxQueuedBytes() / 2) {
            throw new IllegalArgumentException(
                    "window must hold a message and be at most half of maxQueuedBytes: window=" + window
                            + " maxMessageBytes=" + core.maxMessageBytes() + " maxQueuedBytes="
                            + core.maxQueuedBytes());
        }
    }

    /** With defaults: any port of the loopback, 60 s, 8 MiB window. */
    public static ExonEndpointOptions of(NodeId id, String secret) {
        return new ExonEndpointOptions(
                id,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                secret.getBytes(StandardCharsets.UTF_8),
                Optional.empty(),
                Duration.ofSeconds(60),
                8 << 20,
                4 << 20,
                ExonOptions.builder().build(),
                false);
    }

    public ExonEndpointOptions listen(InetSocketAddress address) {
        return new ExonEndpointOptions(
                id, address, secret, clockFile, timeout, window, socketBufferBytes, core, deliversInLoop);
    }

    public ExonEndpointOptions clockFile(Path file) {
        return new ExonEndpointOptions(
                id, listen, secret, Optional.of(file), timeout, window, socketBufferBytes, core, deliversInLoop);
    }

    public ExonEndpointOptions timeout(Duration time) {
        return new ExonEndpointOptions(
                id, listen, secret, clockFile, time, window, socketBufferBytes, core, deliversInLoop);
    }

    /** Limits of the protocol, and the window with them. */
    public ExonEndpointOptions core(ExonOptions limits, int windowBytes) {
        return new ExonEndpointOptions(
                id, listen, secret, clockFile, timeout, windowBytes, socketBufferBytes, limits, deliversInLoop);
    }

    /**
     * The receiver is called, and replies complete, in the endpoint's event loop instead of a thread of their own: a call
     * changes threads four times less. Only for code that never waits, since nothing is sent or received meanwhile.
     */
    public ExonEndpointOptions deliverInLoop() {
        return new ExonEndpointOptions(id, listen, secret, clockFile, timeout, window, socketBufferBytes, core, true);
    }
}
