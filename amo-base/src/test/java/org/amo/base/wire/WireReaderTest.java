package org.amo.base.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

final class WireReaderTest {
    @Test
    void anErrorNamesTheLengthOfABlobOrTheBlob() {
        assertEquals("frame: field body length at offset 0 needs 1 bytes, 0 are left", errorOf(new byte[0]));
        assertEquals("frame: field body length before offset 1 is 6", errorOf(new byte[] {6}));
        assertEquals("frame: field body at offset 1 needs 5 bytes, 1 are left", errorOf(new byte[] {5, 0}));
    }

    private static String errorOf(byte[] bytes) {
        MalformedFrameException error =
                assertThrows(MalformedFrameException.class, () -> new WireReader("frame", bytes).blob("body", 5));
        return String.valueOf(error.getMessage());
    }
}
