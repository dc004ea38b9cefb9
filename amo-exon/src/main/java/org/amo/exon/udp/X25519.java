package org.amo.exon.udp;

import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import javax.crypto.KeyAgreement;

/** X25519 of the Java runtime, with public keys as the 32 bytes of RFC 7748. Any thread. */
final class X25519 {
    static final int BYTES = 32;

    private static final String ALGORITHM = "X25519";

    /** What RFC 8410 puts before the 32 bytes of a public key. */
    private static final byte[] ENCODED_HEAD = {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x6e, 0x03, 0x21, 0};

    private X25519() {}

    static KeyPair newKeyPair() {
        try {
            return KeyPairGenerator.getInstance(ALGORITHM).generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw lacking(e);
        }
    }

    /** The bytes of a public key. */
    static byte[] bytes(PublicKey key) {
        byte[] encoded = key.getEncoded();
        return Arrays.copyOfRange(encoded, encoded.length - BYTES, encoded.length);
    }

    /** The public key of these bytes. */
    static PublicKey publicKey(byte[] bytes) {
        byte[] encoded = Arrays.copyOf(ENCODED_HEAD, ENCODED_HEAD.length + BYTES);
        System.arraycopy(bytes, 0, encoded, ENCODED_HEAD.length, BYTES);
        try {
            return KeyFactory.getInstance(ALGORITHM).generatePublic(new X509EncodedKeySpec(encoded));
        } catch (GeneralSecurityException e) {
            throw lacking(e);
        }
    }

    /**
     * The secret that both sides compute, 32 bytes.
     *
     * @throws InvalidKeyException if the other side's key makes every secret the same, which no honest key does
     */
    static byte[] agree(PrivateKey own, byte[] other) throws InvalidKeyException {
        PublicKey key = publicKey(other);
        try {
            KeyAgreement agreement = KeyAgreement.getInstance(ALGORITHM);
            agreement.init(own);
            agreement.doPhase(key, true);
            return agreement.generateSecret();
        } catch (InvalidKeyException e) {
            throw e;
        } catch (GeneralSecurityException e) {
            throw lacking(e);
        }
    }

    private static IllegalStateException lacking(GeneralSecurityException cause) {
        return new IllegalStateException(
                "this Java runtime lacks " + ALGORITHM + "; up to Java 21 it is in the module jdk.crypto.ec", cause);
    }
}
