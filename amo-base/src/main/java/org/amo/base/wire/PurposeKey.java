package org.amo.base.wire;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Keys for separate purposes from one secret: HMAC-SHA256 of the purpose under the secret (the expansion step of RFC 5869).
 * A user may give the same secret to several protocols; a tag that one of them computes is then of no use in another. Any
 * thread.
 */
public final class PurposeKey {
    public static final String ALGORITHM = "HmacSHA256";

    private PurposeKey() {}

    /**
     * @param secret not empty; random, since nothing here slows a guess down
     * @param purpose begins with "amo" and a protocol's name, and names the version of the use
     * @return 32 bytes
     */
    public static byte[] derive(byte[] secret, String purpose) {
        return mac(secret).doFinal(purpose.getBytes(StandardCharsets.UTF_8));
    }

    /** A fresh HMAC-SHA256 under the key for this purpose. One thread owns it. */
    public static Mac mac(byte[] secret, String purpose) {
        return mac(derive(secret, purpose));
    }

    private static Mac mac(byte[] key) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            return mac;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java runtime lacks " + ALGORITHM, e);
        }
    }
}
