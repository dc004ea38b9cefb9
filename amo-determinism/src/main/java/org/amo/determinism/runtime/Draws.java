package org.amo.determinism.runtime;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * The random numbers of one operation: HMAC-SHA-256 in counter mode, under a key that itself is an HMAC of the operation's place
 * under the seed of its entry. Neither the seed nor the numbers of another operation follow from some of these numbers.
 * Without a seed the key is a digest of the group's key and of the request, as long as logs have such entries.
 */
final class Draws {
    private static final String ALGORITHM = "SHA-256";
    private static final byte[] DOMAIN = "amo draws of an operation".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] NO_NAME = {};

    private final MessageDigest digest;
    private final byte[] key;
    private final boolean keyed;
    private final RandomGenerator fast;
    private long blocks;

    private Draws(MessageDigest digest, byte[] key, boolean keyed) {
        this.digest = digest;
        this.key = key;
        this.keyed = keyed;
        byte[] first = new byte[Long.BYTES];
        nextBytes(first);
        fast = new SplittableRandom(ByteBuffer.wrap(first).getLong());
    }

    /** From the group's key. */
    static Draws ofGroup(byte[] group, long position, long clientHigh, long clientLow, long number) {
        ByteBuffer request = ByteBuffer.allocate(4 * Long.BYTES);
        request.putLong(position).putLong(clientHigh).putLong(clientLow).putLong(number);
        return unkeyed(group, request.array());
    }

    /** From the seed of the operation's entry. */
    static Draws ofEntry(byte[] seed, long position, int index) {
        return keyed(seed, position, index, NO_NAME);
    }

    /** Of a static initializer, from the group's key. */
    static Draws ofClass(byte[] group, String type) {
        return unkeyed(group, type.getBytes(StandardCharsets.UTF_8));
    }

    /** The same from the seed of the operation's entry. */
    static Draws ofClass(byte[] seed, long position, int index, String type) {
        return keyed(seed, position, index, type.getBytes(StandardCharsets.UTF_8));
    }

    private static Draws unkeyed(byte[] group, byte[] of) {
        MessageDigest digest = digest();
        digest.update(group);
        return new Draws(digest, digest.digest(of), false);
    }

    private static Draws keyed(byte[] seed, long position, int index, byte[] name) {
        MessageDigest digest = digest();
        ByteBuffer place = ByteBuffer.allocate(DOMAIN.length + Long.BYTES + Integer.BYTES + name.length);
        place.put(DOMAIN).putLong(position).putInt(index).put(name);
        return new Draws(digest, Hmac.of(digest, seed, place.array()), true);
    }

    private static MessageDigest digest() {
        try {
            return MessageDigest.getInstance(ALGORITHM);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has " + ALGORITHM, e);
        }
    }

    RandomGenerator fast() {
        return fast;
    }

    void nextBytes(byte[] bytes) {
        for (int at = 0; at < bytes.length; ) {
            byte[] block = nextBlock();
            int length = Math.min(block.length, bytes.length - at);
            System.arraycopy(block, 0, bytes, at, length);
            at += length;
        }
    }

    private byte[] nextBlock() {
        byte[] counter = ByteBuffer.allocate(Long.BYTES).putLong(blocks).array();
        blocks++;
        if (keyed) {
            return Hmac.of(digest, key, counter);
        }
        digest.update(key);
        return digest.digest(counter);
    }
}
