package org.amo.scmp.udp;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Optional;
import javax.crypto.Mac;
import org.amo.base.wire.PurposeKey;
import org.amo.base.wire.Secrets;
import org.amo.scmp.rpc.RpcDatagrams;

/**
 * Proves that the sender of a datagram has the key: 16 bytes of HMAC-SHA256 behind the datagram. The seal does not hide the
 * contents, and does not keep a datagram from being replayed: SCMP detects duplicates. One thread owns it.
 */
final class DatagramSeal {
    private final Optional<Mac> mac;

    private DatagramSeal(Optional<Mac> mac) {
        this.mac = mac;
    }

    /** @throws IllegalArgumentException for a key that is too short */
    static DatagramSeal of(Optional<byte[]> key) {
        return new DatagramSeal(key.map(DatagramSeal::mac));
    }

    private static Mac mac(byte[] key) {
        return PurposeKey.mac(Secrets.check(key, "the key of the datagrams"), "amo scmp 1|datagram");
    }

    boolean isKeyed() {
        return mac.isPresent();
    }

    int bytes() {
        return mac.isPresent() ? RpcDatagrams.SEAL : 0;
    }

    /** Appends the seal of the bytes between {@code start} and the position. */
    void seal(ByteBuffer datagram, int start) {
        if (mac.isEmpty()) {
            return;
        }
        ByteBuffer content = datagram.duplicate().flip().position(start);
        mac.get().update(content);
        datagram.put(mac.get().doFinal(), 0, RpcDatagrams.SEAL);
    }

    /** Whether the seal is right; then the limit stands before it. */
    boolean open(ByteBuffer datagram) {
        if (mac.isEmpty()) {
            return true;
        }
        int content = datagram.remaining() - RpcDatagrams.SEAL;
        if (content < 0) {
            return false;
        }
        byte[] given = new byte[RpcDatagrams.SEAL];
        datagram.get(datagram.position() + content, given);
        datagram.limit(datagram.position() + content);
        mac.get().update(datagram.duplicate());
        byte[] right = new byte[RpcDatagrams.SEAL];
        System.arraycopy(mac.get().doFinal(), 0, right, 0, right.length);
        return MessageDigest.isEqual(given, right);
    }
}
