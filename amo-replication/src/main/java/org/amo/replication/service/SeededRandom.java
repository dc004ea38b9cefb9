package org.amo.replication.service;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Random;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.amo.core.replica.Place;

/**
 * The random numbers of one request: HMAC-SHA-256 in counter mode, under a key that itself is an HMAC of the request's place under
 * the seed of its entry. Neither the seed nor numbers that were not drawn follow from those that were.
 */
final class SeededRandom extends Random {
    private static final long serialVersionUID = 1L;
    private static final String ALGORITHM = "HmacSHA256";
    /** Apart from the draws of the agent, which have the same seed. */
    private static final byte[] DOMAIN = "amo random of a replica's context".getBytes(StandardCharsets.US_ASCII);

    private final transient Mac blocks;
    private final transient ByteBuffer block;
    private transient long drawn;

    SeededRandom(byte[] seed, Place place) {
        super(0);
        byte[] at = ByteBuffer.allocate(DOMAIN.length + Long.BYTES + Integer.BYTES)
                .put(DOMAIN)
                .putLong(place.position())
                .putInt(place.index())
                .array();
        blocks = mac(mac(seed).doFinal(at));
        block = ByteBuffer.allocate(blocks.getMacLength());
        block.position(block.limit());
    }

    private static Mac mac(byte[] key) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            return mac;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + ALGORITHM, e);
        }
    }

    @Override
    protected synchronized int next(int bits) {
        if (block.remaining() < Integer.BYTES) {
            byte[] counter = ByteBuffer.allocate(Long.BYTES).putLong(drawn).array();
            drawn++;
            block.clear();
            block.put(blocks.doFinal(counter)).flip();
        }
        return block.getInt() >>> (Integer.SIZE - bits);
    }
}
