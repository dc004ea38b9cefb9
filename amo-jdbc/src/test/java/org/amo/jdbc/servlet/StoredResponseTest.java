package org.amo.jdbc.servlet;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import org.amo.base.wire.MalformedFrameException;
import org.amo.jdbc.servlet.StoredResponse.Header;
import org.junit.jupiter.api.Test;

final class StoredResponseTest {
    /** Frozen: docs/wire/http-reply.md. */
    private static final String GOLDEN = "01c901010c436f6e74656e742d547970650a746578742f706c61696e027061";

    private static final StoredResponse RESPONSE = new StoredResponse(
            201,
            List.of(new Header("Content-Type", "text/plain"), new Header("Set-Cookie", "session=1")),
            "pa".getBytes(UTF_8));

    @Test
    void theBytesAreFrozenAndHoldNoCookie() {
        assertEquals(GOLDEN, HexFormat.of().formatHex(RESPONSE.encode()));
        StoredResponse read = StoredResponse.decode(HexFormat.of().parseHex(GOLDEN));
        assertEquals(201, read.status());
        assertEquals(List.of(new Header("Content-Type", "text/plain")), read.headers());
        assertArrayEquals("pa".getBytes(UTF_8), read.body());
    }

    @Test
    void aResponseIsStoredOnlyIfItCanBeReadAgain() {
        StoredResponse most = response(201, 200, 1 << 16);
        assertEquals(most.headers(), StoredResponse.decode(most.encode()).headers());
        for (StoredResponse each :
                List.of(response(201, 201, 1), response(201, 1, (1 << 16) + 1), response(99, 1, 1))) {
            assertThrows(RuntimeException.class, each::encode);
        }
    }

    private static StoredResponse response(int status, int headers, int valueBytes) {
        return new StoredResponse(
                status, Collections.nCopies(headers, new Header("X", "x".repeat(valueBytes))), new byte[0]);
    }

    @Test
    void otherBytesAreRefused() {
        for (String each : List.of("", "02" + GOLDEN.substring(2), GOLDEN + "00", GOLDEN.substring(0, 20), "0101")) {
            assertThrows(
                    MalformedFrameException.class,
                    () -> StoredResponse.decode(HexFormat.of().parseHex(each)),
                    each);
        }
    }

    @Test
    void aKeyIsAStringOfStructuredHeadersOrABareText() {
        assertEquals("a-b", KeyHeader.parse("\"a-b\""));
        assertEquals("a-b", KeyHeader.parse(" a-b "));
        assertEquals("a\"b\\c", KeyHeader.parse("\"a\\\"b\\\\c\""));
        assertEquals("a", KeyHeader.parse("\"a\"; p=1"));
        for (String each : List.of("\"a", "\"a\"b", "\"a\\", "\"a\\b\"")) {
            assertThrows(IllegalArgumentException.class, () -> KeyHeader.parse(each), each);
        }
    }
}
