package org.amo.replication.rpc;

import java.util.Optional;
import javax.crypto.SecretKey;
import org.amo.base.wire.AesGcm;

/**
 * Seals or opens the frames of one direction of one connection. Both sides count the frames: a frame that is left out,
 * repeated or moved does not open. One thread owns it.
 */
final class FrameCipher {
    static final int TAG_BYTES = AesGcm.TAG_BYTES;

    private final AesGcm cipher = new AesGcm();
    private final SecretKey key;
    private final boolean sends;
    private long frames;

    FrameCipher(byte[] key, boolean sends) {
        this.key = AesGcm.key(key);
        this.sends = sends;
    }

    /** The frame sealed or opened; empty if it does not open. */
    Optional<byte[]> apply(byte[] frame) {
        long number = frames++;
        if (!sends) {
            return cipher.open(key, number, frame, 0, frame.length, 0);
        }
        byte[] sealed = new byte[frame.length + TAG_BYTES];
        cipher.seal(key, number, frame, 0, frame.length, sealed, 0);
        return Optional.of(sealed);
    }
}
