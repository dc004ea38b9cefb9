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
 * How an endpoint runs.
 *
 * @param id the node's logical name, its own for ever
 * @param listen where its socket is; port 0 for any. Default any port of the loopback
 * @param secret shared by all nodes
 * @param clockFile where the node clock's bound is kept; without one, the default, a wall clock that was set back may double
 *     messages
 * @param timeout of a message without a deadline of its own. Default 60 s
 * @param window most bytes that wait or are under way to one node; a sender above it waits. Default 8 MiB
 * @param socketBufferBytes for each direction. Default 4 MiB
 * @param core limits of the protocol. Default {@link #coreForHeap}
 * @param deliveredAt when a message counts as delivered. Default {@link DeliveredAt#HAND_OVER}
 * @param inbox folder of the durable inbox, if there is one
 * @param deliversInLoop whether the receiver is called, and replies complete, in the endpoint's event loop; see {@link
 *     Builder#deliverInLoop}
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
        DeliveredAt deliveredAt,
        Optional<Path> inbox,
        boolean deliversInLoop) {
    /** @throws IllegalArgumentException naming the setting that does not fit the others */
    public ExonEndpointOptions {
        secret = Secrets.check(secret, "the secret of the nodes").clone();
        if (window < core.maxMessageBytes() + 16 || window > core.maxQueuedBytes() / 2) {
            throw new IllegalArgumentException(
                    "window must hold a message and be at most half of maxQueuedBytes: window=" + window
                            + " maxMessageBytes=" + core.maxMessageBytes() + " maxQueuedBytes="
                            + core.maxQueuedBytes());
        }
        if (inbox.isPresent() != (deliveredAt == DeliveredAt.DURABLE_INBOX)) {
            throw new IllegalArgumentException(
                    "deliveredAt DURABLE_INBOX needs a folder, and no other does: deliveredAt=" + deliveredAt
                            + " inbox=" + inbox);
        }
        if (inbox.isPresent() && deliversInLoop) {
            throw new IllegalArgumentException(
                    "the event loop must not wait for the disk: choose deliverInLoop or durableInbox");
        }
        if (inbox.isPresent() && clockFile.isEmpty()) {
            throw new IllegalArgumentException(
                    "durableInbox needs a clockFile: positions of an inbox that was lost begin above the node's clock");
        }
    }

    /** @param secret shared by all nodes, 16 bytes or more */
    public static Builder builder(NodeId id, String secret) {
        return new Builder(id, secret);
    }

    /** The protocol's defaults, with an eighth of this process's heap for messages to all nodes, at least 32 MiB. */
    public static ExonOptions.Builder coreForHeap() {
        return ExonOptions.builder()
                .maxQueuedBytesInAll(Math.max(32L << 20, Runtime.getRuntime().maxMemory() / 8));
    }

    /** Collects options; {@link #build} checks them. */
    @Stable
    public static final class Builder {
        private final NodeId id;
        private final byte[] secret;
        private InetSocketAddress listen = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        private Optional<Path> clockFile = Optional.empty();
        private Duration timeout = Duration.ofSeconds(60);
        private int window = 8 << 20;
        private int socketBufferBytes = 4 << 20;
        private ExonOptions core = coreForHeap().build();
        private DeliveredAt deliveredAt = DeliveredAt.HAND_OVER;
        private Optional<Path> inbox = Optional.empty();
        private boolean deliversInLoop;

        private Builder(NodeId id, String secret) {
            this.id = id;
            this.secret = secret.getBytes(StandardCharsets.UTF_8);
        }

        public Builder listen(InetSocketAddress address) {
            listen = address;
            return this;
        }

        /**
         * Never put an older copy of this file back: move it away instead. A start takes the larger of the stored bound and
         * the wall clock's time, so both are safe unless the node's clock was ahead of the wall clock.
         */
        public Builder clockFile(Path file) {
            clockFile = Optional.of(file);
            return this;
        }

        public Builder timeout(Duration time) {
            timeout = time;
            return this;
        }

        public Builder window(int bytes) {
            window = bytes;
            return this;
        }

        public Builder socketBufferBytes(int bytes) {
            socketBufferBytes = bytes;
            return this;
        }

        /** Limits of the protocol; begin with {@link #coreForHeap}. The window must fit them. */
        public Builder core(ExonOptions limits) {
            core = limits;
            return this;
        }

        /**
         * Messages count as delivered when they are in a log in this folder, forced to disk, with one force for all that wait. They
         * are handed over by {@link ExonReceiver#onKept}, those of former processes first. The folder is made if there is
         * none, and needs a {@link #clockFile}. While the disk refuses writes no message is accepted.
         */
        public Builder durableInbox(Path folder) {
            deliveredAt = DeliveredAt.DURABLE_INBOX;
            inbox = Optional.of(folder);
            return this;
        }

        /** Messages count as delivered when they are in this process's memory; they are lost if it ends. */
        public Builder deliveredAtReceipt() {
            deliveredAt = DeliveredAt.RECEIPT;
            inbox = Optional.empty();
            return this;
        }

        /** Messages count as delivered when the receiver has returned normally: the default. */
        public Builder deliveredAtHandOver() {
            deliveredAt = DeliveredAt.HAND_OVER;
            inbox = Optional.empty();
            return this;
        }

        /**
         * The receiver is called, and replies complete, in the endpoint's event loop instead of a thread of their own: a call
         * changes threads four times less. Only for code that never waits, since nothing is sent or received meanwhile.
         */
        public Builder deliverInLoop() {
            deliversInLoop = true;
            return this;
        }

        /** @throws IllegalArgumentException naming the setting that does not fit the others */
        public ExonEndpointOptions build() {
            return new ExonEndpointOptions(
                    id,
                    listen,
                    secret,
                    clockFile,
                    timeout,
                    window,
                    socketBufferBytes,
                    core,
                    deliveredAt,
                    inbox,
                    deliversInLoop);
        }
    }
}
