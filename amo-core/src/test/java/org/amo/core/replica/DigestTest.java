package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import org.amo.base.ClientId;
import org.amo.core.request.RequestId;
import org.junit.jupiter.api.Test;

/** Members of different builds compare their digests, so the function must not change. */
final class DigestTest {
    @Test
    void theFunctionIsFixed() {
        assertEquals("0", Long.toHexString(Digest.mix(1, 1)));
        assertEquals("e7d92ae11f257bd8", Long.toHexString(Digest.mix(1, 2)));
        assertEquals("a8180712f790f85e", Long.toHexString(Digest.mix(5, RequestId.own(new ClientId(7, 9), 11))));
        assertEquals("ceb3096ec36ce7f8", Long.toHexString(Digest.mix(5, new byte[] {1, -2, 3, 4, 5, 6, 7, 8, 9, -10})));
    }

    @Test
    void everyByteAndTheLengthMatter() {
        byte[] bytes = new byte[17];
        long whole = Digest.mix(3, bytes);
        for (int i = 0; i < bytes.length; i++) {
            byte[] changed = bytes.clone();
            changed[i] = 1;
            assertNotEquals(whole, Digest.mix(3, changed), "byte " + i);
        }
        assertNotEquals(whole, Digest.mix(3, new byte[16]));
        assertNotEquals(Digest.mix(3, new byte[] {1, 0}), Digest.mix(3, new byte[] {0, 1}));
    }
}
