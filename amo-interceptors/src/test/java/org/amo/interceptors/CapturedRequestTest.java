package org.amo.interceptors;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.amo.base.wire.MalformedFrameException;
import org.amo.meetings.Decoder;
import org.amo.meetings.HostileBytes;
import org.junit.jupiter.api.Test;

class CapturedRequestTest implements HostileBytes {
    private static final CapturedRequest DEPOSIT = new CapturedRequest(
            true, 2, 0, 0x0501_0001, 0x0001_0109, "deposit", ascii("bank/acct/1"), new byte[] {1, 2, 3, 4});

    /** Version 1. Never edit: another layout is another version. */
    private static final String GOLDEN = "01" + "01" + "02" + "00" + "05010001" + "00010109" + "07" + "6465706f736974"
            + "0b" + "62616e6b2f616363742f31" + "04" + "01020304";

    @Test
    void golden() {
        assertEquals(GOLDEN, HexFormat.of().formatHex(DEPOSIT.encode()));
        CapturedRequest decoded = CapturedRequest.decode(HexFormat.of().parseHex(GOLDEN));
        assertEquals("deposit", decoded.operation());
        assertArrayEquals(DEPOSIT.encode(), decoded.encode());
    }

    @Test
    void theFingerprintIsFrozenToo() {
        // Members of different versions must agree on it.
        assertEquals("4e2f0d8495b82338", Long.toHexString(DEPOSIT.fingerprint()));
    }

    @Test
    void theFingerprintTellsCallsApartAndNotConnections() {
        CapturedRequest elsewhere =
                new CapturedRequest(true, 1, 4, 7, 8, DEPOSIT.operation(), DEPOSIT.objectKey(), DEPOSIT.body());
        assertEquals(DEPOSIT.fingerprint(), elsewhere.fingerprint());
        assertNotEquals(
                DEPOSIT.fingerprint(),
                with("deposit", "bank/acct/2", 1, 2, 3, 4).fingerprint());
        assertNotEquals(
                DEPOSIT.fingerprint(),
                with("withdraw", "bank/acct/1", 1, 2, 3, 4).fingerprint());
        assertNotEquals(
                DEPOSIT.fingerprint(),
                with("deposit", "bank/acct/1", 1, 2, 3, 5).fingerprint());
        assertNotEquals(
                DEPOSIT.fingerprint(),
                with("deposit", "bank/acct/1", 1, 2, 3, 4, 0).fingerprint());
        // The same bytes divided otherwise are another call.
        assertNotEquals(with("ab", "c", 0).fingerprint(), with("a", "bc", 0).fingerprint());
    }

    @Test
    void whatIsCutOrOfAnotherVersionIsRefused() {
        byte[] good = DEPOSIT.encode();
        for (int length = 0; length < good.length; length++) {
            byte[] cut = Arrays.copyOf(good, length);
            assertThrows(MalformedFrameException.class, () -> CapturedRequest.decode(cut));
        }
        byte[] longer = Arrays.copyOf(good, good.length + 1);
        assertThrows(MalformedFrameException.class, () -> CapturedRequest.decode(longer));
        for (int[] change : new int[][] {{0, 2}, {1, 2}, {2, 3}, {3, 8}}) {
            byte[] bad = good.clone();
            bad[change[0]] = (byte) change[1];
            assertThrows(MalformedFrameException.class, () -> CapturedRequest.decode(bad));
        }
    }

    private static CapturedRequest with(String operation, String key, int... body) {
        byte[] bytes = new byte[body.length];
        for (int i = 0; i < body.length; i++) {
            bytes[i] = (byte) body[i];
        }
        return new CapturedRequest(true, 2, 0, 0x0501_0001, 0x0001_0109, operation, ascii(key), bytes);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public List<Decoder> decoders() {
        return List.of(
                Decoder.of("CORBA request", MalformedFrameException.class, CapturedRequest::decode, DEPOSIT.encode()));
    }
}
