package org.amo.exon;

import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import javax.crypto.Mac;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.SecretKeySpec;

/**
 * Authentication of datagrams from one life of one node to another: HMAC-SHA256, of which 16 bytes travel. The key
 * binds both ids and the sender's incarnation, so that a short header need not name them. One thread owns it.
 */
final class Seal {
    static final int BYTES = 16;

    private static final byte[] ROOM = new byte[BYTES];

    private final Mac mac;
    private final byte[] whole = new byte[32];

    private Seal(Mac mac) {
        this.mac = mac;
    }

    /** The secret that all nodes share; makes the seals. One thread owns it. */
    static final class Secret {
        private static final String ALGORITHM = "HmacSHA256";

        private final Mac master;

        Secret(byte[] bytes) {
            try {
                master = Mac.getInstance(ALGORITHM);
                master.init(new SecretKeySpec(bytes, ALGORITHM));
            } catch (NoSuchAlgorithmException | InvalidKeyException e) {
                throw new IllegalStateException("this Java runtime lacks " + ALGORITHM, e);
            }
        }

        /** The seal of datagrams that {@code from}, in this life, sends to {@code to}, naming both. */
        Seal seal(NodeId from, long incarnation, NodeId to) {
            return seal("amo exon 1|" + from + '|' + incarnation + '|' + to);
        }

        /** The seal of datagrams that {@code from}, in this life, sends to {@code to} in that one. */
        Seal seal(NodeId from, long incarnation, NodeId to, long incarnationOfTo) {
            return seal("amo exon 1|" + from + '|' + incarnation + '|' + to + '|' + incarnationOfTo);
        }

        private Seal seal(String label) {
            byte[] key = master.doFinal(label.getBytes(StandardCharsets.US_ASCII));
            try {
                Mac mac = (Mac) master.clone(); // cheaper than to look the algorithm up
                mac.init(new SecretKeySpec(key, ALGORITHM));
                return new Seal(mac);
            } catch (CloneNotSupportedException | InvalidKeyException e) {
                throw new IllegalStateException("this Java runtime's " + ALGORITHM + " cannot be copied", e);
            }
        }
    }

    /** Zeros to write where {@link #sign} puts the tag. */
    static byte[] room() {
        return ROOM;
    }

    /** Puts the tag into the last bytes of a datagram. */
    void sign(byte[] datagram) {
        compute(datagram, datagram.length);
        System.arraycopy(whole, 0, datagram, datagram.length - BYTES, BYTES);
    }

    /** Whether the last bytes of a datagram are its tag. */
    boolean verify(byte[] datagram, int length) {
        compute(datagram, length);
        int difference = 0;
        for (int i = 0; i < BYTES; i++) {
            difference |= whole[i] ^ datagram[length - BYTES + i];
        }
        return difference == 0;
    }

    private void compute(byte[] datagram, int length) {
        mac.update(datagram, 0, length - BYTES);
        try {
            mac.doFinal(whole, 0);
        } catch (ShortBufferException e) {
            throw new IllegalStateException(e);
        }
    }
}
