package org.amo.scmp.udp;

import java.nio.ByteBuffer;
import java.util.Optional;
import org.amo.base.wire.Seal;
import org.amo.base.wire.Secrets;
import org.amo.scmp.RpcDatagrams;

/**
 * Proves that the sender of a datagram has a key, if there is one: a {@link Seal} behind the datagram. The key is the server's own, or
 * that of one client; the datagram's version tells which. One thread owns it.
 */
final class DatagramSeal {
    private final Optional<Seal> seal;
    private final boolean ofClientKey;

    private DatagramSeal(Optional<Seal> seal, boolean ofClientKey) {
        this.seal = seal;
        this.ofClientKey = ofClientKey;
    }

    /** @throws IllegalArgumentException for a key that is too short */
    static DatagramSeal of(Optional<byte[]> key) {
        return new DatagramSeal(
                key.map(bytes -> Seal.of(Secrets.check(bytes, "the key of the datagrams"), "amo scmp 1|datagram")),
                false);
    }

    /** The seal of a client with a key of its own. */
    static DatagramSeal ofClient(byte[] clientKey) {
        return new DatagramSeal(Optional.of(Seal.ofKey(clientKey)), true);
    }

    int bytes() {
        return seal.isPresent() ? RpcDatagrams.SEAL : 0;
    }

    /** Appends the seal of the bytes between {@code start} and the position. */
    void seal(ByteBuffer datagram, int start) {
        if (ofClientKey) {
            RpcDatagrams.underClientKey(datagram, start);
        }
        seal.ifPresent(keyed -> keyed.sign(datagram, start));
    }

    /** Whether the seal is right; then the limit stands before it. */
    boolean open(ByteBuffer datagram) {
        return seal.isEmpty() || seal.get().open(datagram);
    }
}
