package org.amo.determinism.runtime;

import java.security.MessageDigest;

/** HMAC (RFC 2104) with SHA-256. The JDK's own looks for providers of cryptography, whose classes may be the application's. */
final class Hmac {
    private static final int BLOCK_BYTES = 64;
    private static final int INNER = 0x36;
    private static final int OUTER = 0x5C;

    private Hmac() {}

    /** @param key of at most 64 bytes */
    static byte[] of(MessageDigest sha256, byte[] key, byte[] text) {
        sha256.reset();
        sha256.update(padded(key, INNER));
        byte[] inner = sha256.digest(text);
        sha256.update(padded(key, OUTER));
        return sha256.digest(inner);
    }

    private static byte[] padded(byte[] key, int pad) {
        byte[] block = new byte[BLOCK_BYTES];
        System.arraycopy(key, 0, block, 0, key.length);
        for (int i = 0; i < BLOCK_BYTES; i++) {
            block[i] ^= (byte) pad;
        }
        return block;
    }
}
