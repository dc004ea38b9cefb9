package org.amo.exon.udp;

import java.util.Arrays;
import javax.crypto.SecretKey;
import org.amo.base.wire.AesGcm;
import org.jspecify.annotations.Nullable;

/**
 * AES-256-GCM under one key, in one direction. The nonce is four zero bytes and the number, big-endian, as in Noise. A number must
 * be used for one encryption at most. One thread owns it.
 */
final class AeadKey {
    /** Length of a tag. */
    static final int TAG = AesGcm.TAG_BYTES;

    private final SecretKey key;
    private final AesGcm cipher = new AesGcm();

    AeadKey(byte[] key) {
        this.key = AesGcm.key(key);
    }

    /** Returns the associated bytes, and behind them the content's ciphertext and the tag. */
    byte[] seal(long number, byte[] associated, byte[] head, byte[] content) {
        byte[] plain = NoiseHandshake.join(head, content);
        byte[] out = Arrays.copyOf(associated, associated.length + plain.length + TAG);
        cipher.seal(key, number, plain, 0, plain.length, out, associated.length);
        return out;
    }

    /** The content whose ciphertext and tag begin at {@code from}, where the associated bytes end; null if one of them was changed. */
    byte @Nullable [] open(long number, byte[] datagram, int from) {
        return cipher.open(key, number, datagram, 0, datagram.length, from).orElse(null);
    }
}
