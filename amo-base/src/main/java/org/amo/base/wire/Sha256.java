package org.amo.base.wire;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** SHA-256, which every Java runtime has. */
public final class Sha256 {
    private Sha256() {}

    /**
     * The hash of the parts, one behind the other.
     *
     * @return 32 bytes
     */
    public static byte[] of(byte[]... parts) {
        MessageDigest digest = newDigest();
        for (byte[] part : parts) {
            digest.update(part);
        }
        return digest.digest();
    }

    /** For content that comes in pieces. One thread owns it. */
    public static MessageDigest newDigest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java runtime lacks SHA-256", e);
        }
    }
}
