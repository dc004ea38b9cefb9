package org.amo.exon.udp;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.amo.base.Stable;
import org.amo.base.wire.Seal;
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
 * @param peerSecrets secrets that are shared with one node each, in place of the secret of all
 * @param encrypted whether datagrams are encrypted; see {@link Builder#encrypted}. Default false
 * @param rotateBytes bytes that are encrypted under one key before the nodes agree on another. Default 1 GiB
 * @param rotateTime how long a key is used before the nodes agree on another. Default two minutes
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
        boolean deliversInLoop,
        Map<NodeId, byte[]> peerSecrets,
        boolean encrypted,
        long rotateBytes,
        Duration rotateTime) {
    private static final Duration MOST_ROTATE_TIME = Duration.ofDays(1);

    /** @throws IllegalArgumentException naming the setting that does not fit the others */
    public ExonEndpointOptions {
        secret = Secrets.check(secret, "the secret of the nodes").clone();
        peerSecrets = Map.copyOf(peerSecrets);
        peerSecrets.forEach((peer, ofPeer) -> Secrets.check(ofPeer, "the secret of node " + peer));
        if (rotateBytes < 1) {
            throw new IllegalArgumentException("rotateBytes must be at least 1: " + rotateBytes);
        }
        if (rotateTime.toMillis() < 1 || rotateTime.compareTo(MOST_ROTATE_TIME) > 0) {
            throw new IllegalArgumentException("rotateTime must be 1 ms to a day: " + rotateTime);
        }
        if (encrypted) {
            onWire(core);
        }
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

    /** The protocol's limits below the encryption: its bytes fit in the datagram, too. */
    ExonOptions coreOnWire() {
        return encrypted ? onWire(core) : core;
    }

    private static ExonOptions onWire(ExonOptions core) {
        return core.withDatagramBytes(core.datagramBytes() - SecureFrame.OVERHEAD);
    }

    /** The seal under the secret that is shared with a node. One thread owns it. */
    Function<NodeId, Seal> seals() {
        Seal shared = Seal.ofKey(secret);
        Map<NodeId, Seal> ofPeers = new HashMap<>();
        peerSecrets.forEach((peer, ofPeer) -> ofPeers.put(peer, Seal.ofKey(ofPeer)));
        return peer -> ofPeers.getOrDefault(peer, shared);
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
        private final Map<NodeId, byte[]> peerSecrets = new HashMap<>();
        private boolean encrypted;
        private long rotateBytes = 1L << 30;
        private Duration rotateTime = Duration.ofMinutes(2);

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

        /**
         * Datagrams to and from one node are under a secret of that pair, not that of all nodes. So no third node can take part in
         * their talk, or speak for one of them. The other node needs the same setting for this one.
         *
         * @param peerSecret 16 bytes or more
         */
        public Builder peerSecret(NodeId peer, String peerSecret) {
            peerSecrets.put(peer, peerSecret.getBytes(StandardCharsets.UTF_8));
            return this;
        }

        /**
         * Encrypts all datagrams, under keys of which the secrets tell nothing: a recording stays closed if a secret is stolen
         * later. All nodes must do so, since an encrypted one and a plain one do not hear each other. Without it, the default,
         * datagrams are authentic and readable.
         */
        public Builder encrypted() {
            encrypted = true;
            return this;
        }

        /** How often encrypted nodes agree on other keys: after so many bytes, and after so long, while they send. */
        public Builder rotateKeys(long afterBytes, Duration afterTime) {
            rotateBytes = afterBytes;
            rotateTime = afterTime;
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
                    deliversInLoop,
                    peerSecrets,
                    encrypted,
                    rotateBytes,
                    rotateTime);
        }
    }
}
