package org.amo.base.wire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class PurposeKeyTest {
    private static final byte[] SECRET = "Jefe".getBytes(UTF_8);

    /** RFC 4231, test case 2. */
    @Test
    void aKeyIsTheHmacOfItsPurpose() {
        assertEquals(
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
                HexFormat.of().formatHex(PurposeKey.derive(SECRET, "what do ya want for nothing?")));
    }

    @Test
    void twoPurposesOfOneSecretShareNoTag() {
        byte[] message = "pay 10".getBytes(UTF_8);
        byte[] one = PurposeKey.mac(SECRET, "amo scmp 1|datagram").doFinal(message);
        byte[] other = PurposeKey.mac(SECRET, "amo members 1").doFinal(message);
        assertFalse(Arrays.equals(one, other));
        assertFalse(Arrays.equals(one, PurposeKey.derive(SECRET, "pay 10")));
    }
}
