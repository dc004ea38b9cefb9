package org.amo.dpg.udp;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Arrays;
import javax.crypto.Mac;
import org.amo.base.wire.PurposeKey;

/**
 * Proves that a datagram comes from a holder of the secret: 16 bytes of HMAC-SHA256 behind it. It hides nothing, and does
 * not prevent replay: numbers of messages and reports do that. One thread owns it.
 */
final class DpgSeal {
    static final int BYTES = 16;

    private final Mac mac;

    /** @param use purpose of the key, so that two uses of one secret do not share a key */
    DpgSeal(byte[] secret, String use) {
        mac = PurposeKey.mac(secret, "amo dpg 1|" + use);
    }

    /** For datagrams between sites and sequencers. */
    static DpgSeal ofSequencers(byte[] secret) {
        return new DpgSeal(secret, "sequencer");
    }

    byte[] sealed(byte[] content) {
        byte[] datagram = Arrays.copyOf(content, content.length + BYTES);
        System.arraycopy(mac.doFinal(content), 0, datagram, content.length, BYTES);
        return datagram;
    }

    boolean isSealed(byte[] datagram) {
        int length = datagram.length - BYTES;
        if (length < 0) {
            return false;
        }
        mac.update(datagram, 0, length);
        byte[] right = Arrays.copyOf(mac.doFinal(), BYTES);
        return MessageDigest.isEqual(right, Arrays.copyOfRange(datagram, length, datagram.length));
    }

    /** 64 bits that only a holder of the secret can tell from the number. */
    long proof(long number) {
        return ByteBuffer.wrap(mac.doFinal(
                        ByteBuffer.allocate(Long.BYTES).putLong(number).array()))
                .getLong();
    }
}
