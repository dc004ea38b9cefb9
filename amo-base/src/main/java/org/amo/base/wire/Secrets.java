package org.amo.base.wire;

import java.nio.charset.StandardCharsets;

/** The one rule for secrets, wherever a user gives one. */
public final class Secrets {
    /** Shorter ones can be guessed by trying, from one recorded frame. */
    public static final int LEAST_BYTES = 16;

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
}
