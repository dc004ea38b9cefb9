package org.amo.base.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class SecretsTest {
    private static final String DIGITS = "00112233445566778899aabbccddeeff".repeat(2);

    /** Members and clients of all versions derive the same keys, so these are part of the wire formats. */
    @Test
    void sixtyFourDigitsAreAKeyAndAnythingElseIsStretched() {
        assertEquals("5e458c40d6a5d8b1e504ea2e5ab690834a9af8bfc8dc6031786823401f61a89b", key(DIGITS));
        assertEquals("cad980a7f15ac2fd407a2efd337db9420d28045ca5f06d070331b732e2ef4639", key(DIGITS.substring(1)));
        assertEquals(
                "1ce886205a7a38c5548b6b6895c72fb532657c5f4a05331d83fdaea69bab6c97",
                key("correct horse battery staple"));
    }

    @Test
    void eachPurposeHasAKeyOfItsOwn() {
        for (String secret : new String[] {DIGITS, "correct horse battery staple"}) {
            assertNotEquals(key(secret, "amo bank"), key(secret, "amo rpc bank"));
            assertEquals(key(secret, "amo bank"), key(secret, "amo bank"));
        }
        assertNotEquals(key(DIGITS, "amo bank"), key(DIGITS.replace('a', 'A'), "amo bank"), "a secret is text");
    }

    @Test
    void aShortSecretIsRefusedWithTheRemedy() {
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> Secrets.check("x".repeat(15), "the secret"));
        assertEquals(
                "the secret has 15 bytes, and fewer than 16 can be guessed; make one, for example: openssl rand -hex 32",
                e.getMessage());
        assertEquals("x".repeat(16), Secrets.check("x".repeat(16), "the secret"));
    }

    private static String key(String secret) {
        return key(secret, "amo bank");
    }

    private static String key(String secret, String purpose) {
        return HexFormat.of().formatHex(Secrets.key(secret, purpose));
    }
}
