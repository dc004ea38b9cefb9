package org.amo.base.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.SecretKeySpec;

/**
 * HMAC-SHA256 under one key: derives keys for separate purposes (the expansion step of RFC 5869), and puts tags of 16 bytes
 * behind datagrams. A user may give the same secret to several protocols; a tag that one of them computes is then of no use in
 * another. A tag does not hide the contents and does not prevent replay: the protocols detect duplicates. One thread owns it.
 */
public final class Seal {
    /** Length of a tag. */
    public static final int BYTES = 16;

    private static final String ALGORITHM = "HmacSHA256";

    private final Mac mac;
    private final byte[] whole = new byte[32];

    private Seal(Mac mac, byte[] key) {
        this.mac = mac;
        try {
            mac.init(new SecretKeySpec(key, ALGORITHM));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java runtime lacks " + ALGORITHM, e);
        }
    }

    /** @param key not empty; random, since nothing here slows a guess down */
    public static Seal ofKey(byte[] key) {
        return new Seal(newMac(), key);
    }

    /** The seal under the secret's key for this purpose. */
    public static Seal of(byte[] secret, String purpose) {
        return ofKey(secret).derive(purpose);
    }

    /** @param purpose begins with "amo" and a protocol's name, and names the version of the use */
    public Seal derive(String purpose) {
        byte[] key = hash(purpose);
        try {
            return new Seal((Mac) mac.clone(), key); // cheaper than to look the algorithm up
        } catch (CloneNotSupportedException e) {
            return ofKey(key);
        }
    }

    /**
     * Hashes the label in UTF-8, followed by the parts.
     *
     * @return 32 bytes
     */
    public byte[] hash(String label, byte[]... parts) {
        mac.update(label.getBytes(StandardCharsets.UTF_8));
        for (byte[] part : parts) {
            mac.update(part);
        }
        return mac.doFinal();
    }

    /** The content, followed by its tag. */
    public byte[] sealed(byte[] content) {
        ByteBuffer datagram = ByteBuffer.allocate(content.length + BYTES).put(content);
        sign(datagram, 0);
        return datagram.array();
    }

    /** Appends the tag of the bytes between {@code start} and the position. */
    public void sign(ByteBuffer datagram, int start) {
        compute(datagram.duplicate().flip().position(start));
        datagram.put(whole, 0, BYTES);
    }

    /** Returns whether the datagram ends with its tag; then its limit stands before the tag. */
    public boolean open(ByteBuffer datagram) {
        int content = datagram.limit() - BYTES;
        if (content < datagram.position()) {
            return false;
        }
        compute(datagram.duplicate().limit(content));
        int difference = 0; // compared in constant time
        for (int i = 0; i < BYTES; i++) {
            difference |= whole[i] ^ datagram.get(content + i);
        }
        datagram.limit(content);
        return difference == 0;
    }

    private void compute(ByteBuffer content) {
        mac.update(content);
        try {
            mac.doFinal(whole, 0);
        } catch (ShortBufferException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Mac newMac() {
        try {
            return Mac.getInstance(ALGORITHM);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java runtime lacks " + ALGORITHM, e);
        }
    }
}
