package org.amo.base.wire;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.regex.Pattern;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/** The one rule for secrets, wherever a user gives one. */
public final class Secrets {
    /** Shorter ones can be guessed by trying, from one recorded frame. */
    public static final int LEAST_BYTES = 16;

    /** A generator made it, as {@code openssl rand -hex 32} does: 256 random bits, which nothing finds by trying. */
    private static final Pattern RANDOM = Pattern.compile("[0-9a-fA-F]{64,}");

    /** For a password in the place of a random key. */
    private static final int ITERATIONS = 120_000;

    private Secrets() {}

    /**
     * Checks a secret.
     *
     * @param where names it, for the message
     * @return the secret
     * @throws IllegalArgumentException in one line with the remedy if it is too short
     */
    public static String check(String secret, String where) {
        check(secret.getBytes(StandardCharsets.UTF_8), where);
        return secret;
    }

    /** The same for bytes. */
    public static byte[] check(byte[] secret, String where) {
        if (secret.length < LEAST_BYTES) {
            throw new IllegalArgumentException(where + " has " + secret.length + " bytes, and fewer than " + LEAST_BYTES
                    + " can be guessed; make one, for example: openssl rand -hex 32");
        }
        return secret;
    }

    /**
     * Derives a key. From 64 hexadecimal digits or more it is one HMAC. Any other secret may be a password: PBKDF2 takes half a second of
     * a process that has just started, and so long for each guess.
     *
     * @param purpose tells uses of one secret apart
     * @return 32 bytes
     */
    public static byte[] key(String secret, String purpose) {
        return RANDOM.matcher(secret).matches()
                ? Seal.ofKey(secret.getBytes(StandardCharsets.UTF_8)).hash(purpose)
                : stretched(secret, purpose);
    }

    private static byte[] stretched(String secret, String salt) {
        try {
            PBEKeySpec spec =
                    new PBEKeySpec(secret.toCharArray(), salt.getBytes(StandardCharsets.UTF_8), ITERATIONS, 256);
            byte[] key = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
                    .generateSecret(spec)
                    .getEncoded();
            spec.clearPassword();
            return key;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java runtime lacks PBKDF2WithHmacSHA256", e);
        }
    }
}
