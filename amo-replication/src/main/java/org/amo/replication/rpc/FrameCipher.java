package org.amo.replication.rpc;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Optional;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * AES-256-GCM over the frames of one direction of one connection. The nonce is the frame's number, which both sides count:
 * a frame that is left out, repeated or moved does not open. One thread owns it.
 */
final class FrameCipher {
    static final int TAG_BYTES = 16;

    private final Cipher cipher;
    private final SecretKeySpec key;
    private final int mode;
    private long frames;

    FrameCipher(byte[] key, boolean sends) {
        this.key = new SecretKeySpec(key, "AES");
        this.mode = sends ? Cipher.ENCRYPT_MODE : Cipher.DECRYPT_MODE;
        try {
            cipher = Cipher.getInstance("AES/GCM/NoPadding");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java runtime lacks AES/GCM", e);
        }
    }

    /** The frame sealed or opened; empty if it does not open. */
    Optional<byte[]> apply(byte[] frame) {
        byte[] nonce = ByteBuffer.allocate(12).putLong(4, frames++).array();
        try {
            cipher.init(mode, key, new GCMParameterSpec(TAG_BYTES * Byte.SIZE, nonce));
            return Optional.of(cipher.doFinal(frame));
        } catch (AEADBadTagException e) {
            return Optional.empty();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("cannot seal or open a frame of " + frame.length + " bytes", e);
        }
    }
}
