package org.amo.exon.udp;

import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.util.Arrays;
import java.util.Objects;
import org.amo.base.wire.Seal;
import org.amo.base.wire.Sha256;
import org.jspecify.annotations.Nullable;

/**
 * One side of a handshake Noise_NNpsk0_25519_AESGCM_SHA256 (Perrin, "The Noise Protocol Framework", revision 34): two messages
 * between nodes that share a key, and keys for both directions that neither the shared key nor a recording gives away. The names
 * of the steps are the specification's. One thread owns it.
 */
final class NoiseHandshake {
    /** What the first and the second message add to their payloads. */
    static final int OVERHEAD = X25519.BYTES + AeadKey.TAG;

    private static final byte[] NAME = "Noise_NNpsk0_25519_AESGCM_SHA256".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] NONE = {};

    private final boolean initiator;

    // ck, h and k of the specification. Its n is 0 at every use: each key seals one payload.
    private byte[] chainingKey = NAME;
    private byte[] hash = NAME;
    private byte[] key = NONE;

    /** The initiator's, after the first message. */
    private @Nullable PrivateKey ephemeral;

    /** The two keys at the end. */
    record Keys(AeadKey out, AeadKey in) {}

    /**
     * @param prologue the same on both sides, or no message is good
     * @param psk 32 bytes that both sides share
     */
    NoiseHandshake(boolean initiator, byte[] prologue, byte[] psk) {
        this.initiator = initiator;
        mixHash(prologue);
        byte[][] mixed = derive(psk, 3);
        chainingKey = mixed[0];
        mixHash(mixed[1]);
        key = mixed[2];
    }

    /**
     * {@code -> psk, e}. Only the initiator, once.
     *
     * @param pair of this handshake alone
     */
    byte[] writeFirst(KeyPair pair, byte[] payload) {
        ephemeral = pair.getPrivate();
        byte[] own = X25519.bytes(pair.getPublic());
        mixEphemeral(own);
        return join(own, encryptAndHash(payload));
    }

    /** Reads the payload of the first message; null if the sender does not have the shared key. Only the responder, once. */
    byte @Nullable [] readFirst(byte[] message) {
        if (message.length < OVERHEAD) {
            return null;
        }
        mixEphemeral(Arrays.copyOf(message, X25519.BYTES));
        return decryptAndHash(message);
    }

    /**
     * {@code <- e, ee}. Only the responder, after the first message.
     *
     * @param pair of this handshake alone
     * @return null if the initiator's key is none that agrees on a secret
     */
    byte @Nullable [] writeSecond(KeyPair pair, byte[] first, byte[] payload) {
        byte[] own = X25519.bytes(pair.getPublic());
        mixEphemeral(own);
        return mixAgreement(pair.getPrivate(), Arrays.copyOf(first, X25519.BYTES))
                ? join(own, encryptAndHash(payload))
                : null;
    }

    /**
     * Reads the payload of the second message. Only the initiator; a message that is not good changes nothing.
     *
     * @return null if it is not the answer of a node with the shared key to this handshake
     */
    byte @Nullable [] readSecond(byte[] message) {
        if (message.length < OVERHEAD) {
            return null;
        }
        byte[] formerChainingKey = chainingKey;
        byte[] formerHash = hash;
        byte[] formerKey = key;
        byte[] other = Arrays.copyOf(message, X25519.BYTES);
        mixEphemeral(other);
        byte[] payload = mixAgreement(Objects.requireNonNull(ephemeral), other) ? decryptAndHash(message) : null;
        if (payload == null) {
            chainingKey = formerChainingKey;
            hash = formerHash;
            key = formerKey;
        }
        return payload;
    }

    /** The keys of both directions. After the second message. */
    Keys split() {
        byte[][] keys = derive(NONE, 2);
        AeadKey first = new AeadKey(keys[0]);
        AeadKey second = new AeadKey(keys[1]);
        return initiator ? new Keys(first, second) : new Keys(second, first);
    }

    private void mixEphemeral(byte[] publicKey) {
        mixHash(publicKey);
        mixKey(publicKey); // as the specification asks of handshakes with a psk
    }

    private boolean mixAgreement(PrivateKey own, byte[] other) {
        try {
            mixKey(X25519.agree(own, other));
            return true;
        } catch (InvalidKeyException e) {
            return false;
        }
    }

    private void mixKey(byte[] material) {
        byte[][] mixed = derive(material, 2);
        chainingKey = mixed[0];
        key = mixed[1];
    }

    private void mixHash(byte[] data) {
        hash = Sha256.of(hash, data);
    }

    private byte[] encryptAndHash(byte[] payload) {
        byte[] sealed = new AeadKey(key).seal(0, hash, NONE, payload);
        byte[] ciphertext = Arrays.copyOfRange(sealed, hash.length, sealed.length);
        mixHash(ciphertext);
        return ciphertext;
    }

    private byte @Nullable [] decryptAndHash(byte[] message) {
        byte[] ciphertext = Arrays.copyOfRange(message, X25519.BYTES, message.length);
        byte[] payload = new AeadKey(key).open(0, join(hash, ciphertext), hash.length);
        if (payload != null) {
            mixHash(ciphertext);
        }
        return payload;
    }

    /** HKDF of the specification: so many outputs of 32 bytes. */
    private byte[][] derive(byte[] material, int outputs) {
        Seal extracted = Seal.ofKey(Seal.ofKey(chainingKey).hash("", material));
        byte[][] out = new byte[outputs][];
        byte[] last = NONE;
        for (int i = 0; i < outputs; i++) {
            last = extracted.hash("", last, new byte[] {(byte) (i + 1)});
            out[i] = last;
        }
        return out;
    }

    static byte[] join(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }
}
