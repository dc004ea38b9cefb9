package org.amo.exon.udp;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * AES-256-GCM under one key, in one direction. The nonce is four zero bytes and the number, big-endian, as in Noise. A number must
 * be used for one encryption at most. One thread owns it.
 */
final class AeadKey {
    /** Length of a tag. */
    static final int TAG = 16;

    private static final int NONCE = 12;
    private static final int COUNTER_AT = 4;

    private final SecretKeySpec key;
    private final Cipher cipher;

    AeadKey(byte[] key) {
        this.key = new SecretKeySpec(key, "AES");
        try {
            this.cipher = Cipher.getInstance("AES/GCM/NoPadding");
        } catch (GeneralSecurityException e) {
            throw lacking(e);
        }
    }

    /** Returns the associated bytes, and behind them the content's ciphertext and the tag. */
    byte[] seal(long number, byte[] associated, byte[] head, byte[] content) {
        byte[] out = new byte[associated.length + head.length + content.length + TAG];
        System.arraycopy(associated, 0, out, 0, associated.length);
        try {
            begin(Cipher.ENCRYPT_MODE, number, associated, associated.length);
            int at = associated.length + cipher.update(head, 0, head.length, out, associated.length);
            cipher.doFinal(content, 0, content.length, out, at);
            return out;
        } catch (GeneralSecurityException e) {
            throw lacking(e);
        }
    }

    /** The content whose ciphertext and tag begin at {@code from}, where the associated bytes end; null if one of them was changed. */
    byte @Nullable [] open(long number, byte[] datagram, int from) {
        return open(number, datagram, from, datagram, from);
    }

    /** The same where the associated bytes stand elsewhere. */
    byte @Nullable [] open(long number, byte[] associated, byte[] sealed, int from) {
        return open(number, associated, associated.length, sealed, from);
    }

    private byte @Nullable [] open(long number, byte[] associated, int associatedLength, byte[] sealed, int from) {
        if (sealed.length - from < TAG) {
            return null;
        }
        try {
            begin(Cipher.DECRYPT_MODE, number, associated, associatedLength);
            return cipher.doFinal(sealed, from, sealed.length - from);
        } catch (AEADBadTagException e) {
            return null;
        } catch (GeneralSecurityException e) {
            throw lacking(e);
        }
    }

    private void begin(int mode, long number, byte[] associated, int length) throws GeneralSecurityException {
        byte[] nonce = ByteBuffer.allocate(NONCE).putLong(COUNTER_AT, number).array();
        cipher.init(mode, key, new GCMParameterSpec(8 * TAG, nonce));
        cipher.updateAAD(associated, 0, length);
    }

    private static IllegalStateException lacking(GeneralSecurityException cause) {
        return new IllegalStateException("this Java runtime does not encrypt with AES-GCM", cause);
    }
}
