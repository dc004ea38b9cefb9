package org.amo.replication.rpc;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.amo.base.wire.AesGcm;
import org.junit.jupiter.api.Test;

/** What a member remembers of datagrams. */
class RepeatedDatagramsTest {
    private final RepeatedDatagrams repeated = new RepeatedDatagrams();

    /** Of these, some share a place by chance. */
    @Test
    void fiveHundredRecordingsAreToldAsOftenAsTheyCome() {
        Random random = new Random(1);
        List<byte[]> recordings = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            recordings.add(tagged(random.nextLong()));
        }
        recordings.forEach(each -> assertFalse(repeated.isRepeated(each)));
        for (int time = 0; time < 3; time++) {
            recordings.forEach(each -> assertTrue(repeated.isRepeated(each)));
        }
    }

    @Test
    void aNewOneTakesThePlaceOfTheOneThatCameLongestAgo() {
        for (long i = 1; i <= 4; i++) {
            assertFalse(repeated.isRepeated(ofOneSet(i)));
        }
        assertTrue(repeated.isRepeated(ofOneSet(1)));
        assertFalse(repeated.isRepeated(ofOneSet(5)));
        assertTrue(repeated.isRepeated(ofOneSet(1)));
        assertTrue(repeated.isRepeated(ofOneSet(3)));
        assertFalse(repeated.isRepeated(ofOneSet(2)), "it came longest ago");
    }

    private static byte[] ofOneSet(long number) {
        return tagged(number << 32);
    }

    private static byte[] tagged(long tag) {
        return ByteBuffer.allocate(2 * AesGcm.TAG_BYTES)
                .putLong(AesGcm.TAG_BYTES, tag)
                .array();
    }
}
