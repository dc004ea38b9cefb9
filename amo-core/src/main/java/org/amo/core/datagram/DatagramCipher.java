package org.amo.core.datagram;

import java.util.Arrays;
import java.util.Optional;
import javax.crypto.SecretKey;
import org.amo.base.ClientId;
import org.amo.base.wire.AesGcm;
import org.amo.base.wire.Seal;
import org.amo.base.wire.Secrets;
import org.amo.base.wire.WireWriter;

/**
 * Seals and opens datagrams, each under a key of its client and direction: AES-256-GCM over the content, and the head is
 * authenticated with it. No key takes more than an HMAC, so that a forged datagram costs a member little. One thread owns it.
 *
 * <p>Invariant: no two different datagrams are sealed under the same key and number. A client id is drawn once, by one process,
 * which counts its datagrams; a member draws a salt at its start, and counts its answers.
 */
public final class DatagramCipher {
    private final Optional<Seal> keys;
    private final AesGcm cipher = new AesGcm();

    /** @param keys of {@link #keys}, for this one thread; empty for a group without a secret: then nothing is sealed */
    public DatagramCipher(Optional<Seal> keys) {
        this.keys = keys;
    }

    /**
     * The key that a group's secret makes, from which the keys of connections and datagrams are derived. Takes up to half a second: see
     * {@link Secrets#key}.
     */
    public static byte[] groupKey(String group, String secret) {
        return Secrets.key(secret, "amo rpc " + group);
    }

    /** Derives the keys of datagrams, which no connection uses. For one thread. */
    public static Seal keys(byte[] groupKey) {
        return Seal.ofKey(groupKey).derive("amo call 1");
    }

    public boolean isKeyed() {
        return keys.isPresent();
    }

    /** What the seal adds to head and content. */
    public int tagBytes() {
        return keys.isPresent() ? AesGcm.TAG_BYTES : 0;
    }

    /** The whole datagram. */
    public byte[] seal(CallDatagrams.Head head, byte[] content) {
        byte[] datagram = Arrays.copyOf(head.encode(), head.bytes() + content.length + tagBytes());
        if (keys.isPresent()) {
            cipher.seal(key(head), head.number(), content, 0, content.length, datagram, head.bytes());
        } else {
            System.arraycopy(content, 0, datagram, head.bytes(), content.length);
        }
        return datagram;
    }

    /** The content of a datagram with that head; empty if it was not sealed with the group's secret, or was changed. */
    public Optional<byte[]> open(CallDatagrams.Head head, byte[] datagram) {
        if (head.sealed() != keys.isPresent()) {
            return Optional.empty();
        }
        if (keys.isEmpty()) {
            return Optional.of(Arrays.copyOfRange(datagram, head.bytes(), datagram.length));
        }
        return cipher.open(key(head), head.number(), datagram, 0, datagram.length, head.bytes());
    }

    private SecretKey key(CallDatagrams.Head head) {
        String direction = head.kind() == CallDatagrams.ANSWER ? "to client" : "to member";
        return AesGcm.key(keys.orElseThrow().hash(direction, bytes(head.client()), head.salt()));
    }

    private static byte[] bytes(ClientId client) {
        WireWriter writer = new WireWriter(16);
        writer.clientId(client);
        return writer.toBytes();
    }
}
