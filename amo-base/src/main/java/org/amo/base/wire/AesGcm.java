package org.amo.base.wire;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Optional;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** AES-256-GCM with the frame's number as nonce. A number must not repeat under a key. One thread owns it. */
public final class AesGcm {
    public static final int TAG_BYTES = 16;

    private static final int NONCE_BYTES = 12;

    private final Cipher cipher;

    public AesGcm() {
        try {
            cipher = Cipher.getInstance("AES/GCM/NoPadding");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java runtime lacks AES/GCM", e);
        }
    }

    /** @param bytes 32 bytes */
    public static SecretKey key(byte[] bytes) {
        return new SecretKeySpec(bytes, "AES");
    }

    /**
     * Encrypts content into a frame.
     *
     * @param frame has room for the header, the content and {@link #TAG_BYTES}
     * @param header number of bytes that stand in the frame already; they are authenticated and not hidden
     */
    public void seal(SecretKey key, long number, byte[] content, int offset, int length, byte[] frame, int header) {
        try {
            begin(Cipher.ENCRYPT_MODE, key, number, frame, 0, header);
            cipher.doFinal(content, offset, length, frame, header);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("cannot seal a frame of " + length + " bytes", e);
        }
    }

    /**
     * Decrypts a frame that begins at the offset.
     *
     * @return its content without the header; empty if it is too short, has another key or number, or was changed
     */
    public Optional<byte[]> open(SecretKey key, long number, byte[] frame, int offset, int length, int header) {
        if (length < header + TAG_BYTES) {
            return Optional.empty();
        }
        try {
            begin(Cipher.DECRYPT_MODE, key, number, frame, offset, header);
            return Optional.of(cipher.doFinal(frame, offset + header, length - header));
        } catch (AEADBadTagException e) {
            return Optional.empty();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("cannot open a frame of " + length + " bytes", e);
        }
    }

    private void begin(int mode, SecretKey key, long number, byte[] frame, int offset, int header)
            throws GeneralSecurityException {
        byte[] nonce = ByteBuffer.allocate(NONCE_BYTES)
                .putLong(NONCE_BYTES - Long.BYTES, number)
                .array();
        cipher.init(mode, key, new GCMParameterSpec(TAG_BYTES * Byte.SIZE, nonce));
        cipher.updateAAD(frame, offset, header);
    }
}
