package org.amo.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.Metadata;
import java.util.Optional;
import org.amo.base.ClientId;
import org.amo.core.client.ClientCall;
import org.amo.core.sack.FinishedNumbers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The metadata of docs/wire/grpc.md. */
final class CallMetadataTest {
    private static final CallMetadata CALL = new CallMetadata(
            new ClientId(0x0102030405060708L, 0x090a0b0c0d0e0f10L),
            300,
            1_700_000_000_000L,
            1_700_000_010_000L,
            FinishedNumbers.of(297, 299, 299, 302, 400),
            Optional.of("00112233445566778899aabbccddeeff"));

    @Test
    void theExampleOfThePage() throws Exception {
        Metadata headers = headers();
        assertEquals("0102030405060708090a0b0c0d0e0f10", headers.get(CallMetadata.CLIENT));
        assertEquals("300", headers.get(CallMetadata.NUMBER));
        assertEquals("1700000000000", headers.get(CallMetadata.TIMESTAMP));
        assertEquals("10000", headers.get(CallMetadata.DEADLINE));
        assertEquals("297,299,302-400", headers.get(CallMetadata.FINISHED));
        assertEquals("00112233445566778899aabbccddeeff", headers.get(CallMetadata.SERVER));
        assertTrue(CallMetadata.isIn(headers));
        assertEquals(CALL, CallMetadata.read(headers));
    }

    @Test
    void nothingIsFinishedAtFirst() throws Exception {
        Metadata headers = headers();
        headers.discardAll(CallMetadata.FINISHED);
        assertEquals(FinishedNumbers.NONE, CallMetadata.read(headers).finished());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "amo-client|0102030405060708090a0b0c0d0e0f",
                "amo-client|0102030405060708090a0b0c0d0e0fxy",
                "amo-number|0",
                "amo-number|-1",
                "amo-number|+1",
                "amo-number|1e3",
                "amo-number|1152921504606846977",
                "amo-number|99999999999999999999",
                "amo-timestamp|281474976710657",
                "amo-deadline|281474976710657",
                "amo-deadline|ten",
                "amo-finished|,5",
                "amo-finished|5,6",
                "amo-finished|5,9-8",
                "amo-finished|5,7,9-",
                "amo-finished|5,",
                "amo-finished|9,7"
            })
    void othersAreRefused(String key, String value) {
        Metadata headers = headers();
        headers.discardAll(CallMetadata.key(key));
        headers.put(CallMetadata.key(key), value);
        Exception refused = assertThrows(CallMetadata.MalformedException.class, () -> CallMetadata.read(headers));
        assertTrue(refused.getMessage().contains(key), refused.getMessage());
    }

    @Test
    void aPartThatIsMissingIsNamed() {
        Metadata headers = headers();
        headers.discardAll(CallMetadata.NUMBER);
        Exception refused = assertThrows(CallMetadata.MalformedException.class, () -> CallMetadata.read(headers));
        assertTrue(refused.getMessage().contains("amo-number is needed"), refused.getMessage());
    }

    /** Calls that end out of turn make many ranges; gRPC takes 8 KiB of metadata. */
    @Test
    void acknowledgementsFitIntoTheMetadata() {
        try (AtMostOnceClient client = AtMostOnceClient.create()) {
            for (int i = 1; i <= 500; i++) {
                ClientCall call = client.session().begin(false, 1_000, 0, 1_700_000_000_000L);
                if (i % 2 == 0) {
                    call.onDeadline();
                    call.onHandedOver();
                }
            }
            FinishedNumbers told = client.finished(0);
            assertEquals(100, told.rangeCount());
            assertEquals(0, told.floor());
            assertEquals(2, told.rangeFirst(0));
            assertEquals(200, told.rangeLast(99));
        }
    }

    private static Metadata headers() {
        Metadata headers = new Metadata();
        CALL.putInto(headers);
        return headers;
    }
}
