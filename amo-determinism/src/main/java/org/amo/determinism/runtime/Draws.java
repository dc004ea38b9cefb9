package org.amo.determinism.runtime;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/** The random numbers of one operation. Its seed is a digest of the group's key and of the request, so no key follows from them. */
final class Draws {
    private static final String ALGORITHM = "SHA-256";

    private final MessageDigest digest;
    private final byte[] seed;
    private final RandomGenerator fast;
    private long blocks;

    Draws(byte[] key, long position, long clientHigh, long clientLow, long number) {
        try {
            digest = MessageDigest.getInstance(ALGORITHM);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has " + ALGORITHM, e);
        }
        ByteBuffer request = ByteBuffer.allocate(4 * Long.BYTES);
        request.putLong(position).putLong(clientHigh).putLong(clientLow).putLong(number);
        digest.update(key);
        seed = digest.digest(request.array());
        byte[] first = new byte[Long.BYTES];
        nextBytes(first);
        fast = new SplittableRandom(ByteBuffer.wrap(first).getLong());
    }

    RandomGenerator fast() {
        return fast;
    }

    void nextBytes(byte[] bytes) {
        for (int at = 0; at < bytes.length; ) {
            digest.update(seed);
            byte[] block = digest.digest(
                    ByteBuffer.allocate(Long.BYTES).putLong(blocks).array());
            blocks++;
            int length = Math.min(block.length, bytes.length - at);
            System.arraycopy(block, 0, bytes, at, length);
            at += length;
        }
    }
}
