package org.amo.transport.scmp;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.amo.core.scmp.rpc.RpcDatagrams;

/**
 * Proves that a datagram comes from somebody who has the key: 16 bytes of HMAC-SHA256 behind it. It does not hide anything, and
 * does not keep a datagram from being sent again: that is what SCMP is for. One thread owns it.
 */
final class DatagramSeal {
    static final int LEAST_KEY_BYTES = 16;
    private static final String ALGORITHM = "HmacSHA256";

    private final Optional<Mac> mac;

    private DatagramSeal(Optional<Mac> mac) {
        this.mac = mac;
    }

    /** @throws IllegalArgumentException for a key that is too short */
    static DatagramSeal of(Optional<byte[]> key) {
        return new DatagramSeal(key.map(DatagramSeal::mac));
    }

    private static Mac mac(byte[] key) {
        if (key.length < LEAST_KEY_BYTES) {
            throw new IllegalArgumentException("a key of " + key.length + " bytes can be guessed; give "
                    + LEAST_KEY_BYTES + " random bytes or more");
        }
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            return mac;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JDK has no " + ALGORITHM, e);
        }
    }

    boolean isKeyed() {
        return mac.isPresent();
    }

    int bytes() {
        return mac.isPresent() ? RpcDatagrams.SEAL : 0;
    }

    /** Appends the seal of what stands between {@code start} and the position. */
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
