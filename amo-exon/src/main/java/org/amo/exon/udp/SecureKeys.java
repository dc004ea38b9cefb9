package org.amo.exon.udp;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.amo.base.wire.Seal;
import org.amo.base.wire.Secrets;
import org.amo.exon.NodeId;

/**
 * What a node needs to agree on keys with others. One thread owns it.
 *
 * @param self the node
 * @param incarnation its present life
 * @param shared the seal under the key of the secret that all nodes share
 * @param ofPeers the same for nodes with a secret of their own
 * @param rotateBytes that one side seals before it asks for other keys
 * @param rotateMicros after which a side that seals asks for other keys
 */
record SecureKeys(
        NodeId self, long incarnation, Seal shared, Map<NodeId, Seal> ofPeers, long rotateBytes, long rotateMicros) {
    /** After so many times {@code rotateMicros} keys are forgotten. */
    static final int LIVES = 3;

    /** So many times {@code rotateBytes} are sealed at most while other keys cannot be agreed on. */
    static final int MOST_ROTATIONS_LATE = 8;

    private static final String PURPOSE = "amo exon noise 1";

    /** @throws IllegalStateException if this Java runtime lacks an algorithm: here, and not at the first datagram */
    static SecureKeys of(ExonEndpointOptions options, long incarnation) {
        X25519.newKeyPair();
        Map<NodeId, Seal> ofPeers = new HashMap<>();
        options.peerSecrets().forEach((peer, secret) -> ofPeers.put(peer, seal(secret)));
        return new SecureKeys(
                options.id(),
                incarnation,
                seal(options.secret()),
                ofPeers,
                options.rotateBytes(),
                TimeUnit.NANOSECONDS.toMicros(options.rotateTime().toNanos()));
    }

    /** A secret that may be a password is stretched, once: one recorded handshake would confirm a guess. */
    private static Seal seal(byte[] secret) {
        // Each byte as a character, so that no two secrets become the same text.
        return Seal.ofKey(Secrets.key(new String(secret, StandardCharsets.ISO_8859_1), PURPOSE));
    }

    /** The psk of handshakes that one node begins with the other. */
    byte[] psk(NodeId initiator, NodeId responder) {
        NodeId peer = initiator.equals(self) ? responder : initiator;
        return ofPeers.getOrDefault(peer, shared).hash(PURPOSE + '|' + initiator + '|' + responder);
    }

    /** What both sides of a handshake agree on in advance. */
    static byte[] prologue(byte[] firstHead) {
        return SecureFrame.join(PURPOSE.getBytes(StandardCharsets.US_ASCII), firstHead);
    }
}
