package org.amo.scmp.udp;

import java.nio.ByteBuffer;
import java.util.Optional;
import org.amo.base.wire.Seal;
import org.amo.base.wire.Secrets;
import org.amo.scmp.RpcDatagrams;

/** Proves that the sender of a datagram has the key, if there is a key: a {@link Seal} behind the datagram. One thread owns it. */
final class DatagramSeal {
    private final Optional<Seal> seal;

    private DatagramSeal(Optional<Seal> seal) {
        this.seal = seal;
    }

    /** @throws IllegalArgumentException for a key that is too short */
    static DatagramSeal of(Optional<byte[]> key) {
        return new DatagramSeal(
                key.map(bytes -> Seal.of(Secrets.check(bytes, "the key of the datagrams"), "amo scmp 1|datagram")));
    }

    boolean isKeyed() {
        return seal.isPresent();
    }

    int bytes() {
        return seal.isPresent() ? RpcDatagrams.SEAL : 0;
    }

    /** Appends the seal of the bytes between {@code start} and the position. */
    void seal(ByteBuffer datagram, int start) {
        seal.ifPresent(keyed -> keyed.sign(datagram, start));
    }

    /** Whether the seal is right; then the limit stands before it. */
    boolean open(ByteBuffer datagram) {
        return seal.isEmpty() || seal.get().open(datagram);
    }
}
