package org.amo.replication.rpc;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;
import org.amo.base.wire.Secrets;

/**
 * Derives from a group's secret a proof for each side of a connection, and a key for each direction. They depend on the
 * random salts of this connection, so that recorded frames are of no use on another one. Any thread may use it.
 */
public final class RpcKey {
    static final int PROOF_BYTES = 16;

    /** About 0.1 s, once a process. A secret file holds a random key; the iterations are for a password in its place. */
    private static final int ITERATIONS = 120_000;

    private static final String HMAC = "HmacSHA256";

    private final SecretKeySpec groupKey;

    private RpcKey(SecretKeySpec groupKey) {
        this.groupKey = groupKey;
    }

    /**
     * Takes about 0.1 s.
     *
     * @throws IllegalArgumentException in one line if the secret is too short
     */
    public static RpcKey of(String group, String secret) {
        Secrets.check(secret, "the secret of " + group);
        try {
            PBEKeySpec spec = new PBEKeySpec(
                    secret.toCharArray(), ("amo rpc " + group).getBytes(StandardCharsets.UTF_8), ITERATIONS, 256);
            byte[] key = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
                    .generateSecret(spec)
                    .getEncoded();
            spec.clearPassword();
            return new RpcKey(new SecretKeySpec(key, HMAC));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java runtime lacks PBKDF2WithHmacSHA256", e);
        }
    }

    /** Proves that the side that drew the salt knows the secret. */
    byte[] helloProof(byte[] clientSalt) {
        return Arrays.copyOf(derive("hello", clientSalt), PROOF_BYTES);
    }

    byte[] welcomeProof(byte[] clientSalt, byte[] serverSalt) {
        return Arrays.copyOf(derive("welcome", clientSalt, serverSalt), PROOF_BYTES);
    }

    FrameCipher clientToServer(byte[] clientSalt, byte[] serverSalt, boolean sends) {
        return new FrameCipher(derive("to server", clientSalt, serverSalt), sends);
    }

    FrameCipher serverToClient(byte[] clientSalt, byte[] serverSalt, boolean sends) {
        return new FrameCipher(derive("to client", clientSalt, serverSalt), sends);
    }

    static boolean same(byte[] one, byte[] other) {
        return MessageDigest.isEqual(one, other);
    }

    private byte[] derive(String label, byte[]... parts) {
        try {
            Mac mac = Mac.getInstance(HMAC);
            mac.init(groupKey);
            mac.update(("amo rpc 1 " + label).getBytes(StandardCharsets.US_ASCII));
            for (byte[] part : parts) {
                mac.update(part);
            }
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java runtime lacks " + HMAC, e);
        }
    }
}
