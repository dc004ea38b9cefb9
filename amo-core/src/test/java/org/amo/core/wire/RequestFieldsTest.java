package org.amo.core.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;
import org.amo.core.request.Answer;
import org.amo.core.sack.FinishedNumbers;
import org.amo.meetings.AllocatedBytes;
import org.junit.jupiter.api.Test;

/** Each member reads these fields for each request: no text is made for an error that does not come. */
final class RequestFieldsTest {
    private static final int TIMES = 100;

    @Test
    void readingFinishedNumbersAllocatesTheNumbersAlone() {
        long[] bounds = new long[2_000];
        Arrays.setAll(bounds, i -> 3L * i + 5);
        FinishedNumbers finished = FinishedNumbers.of(1, bounds);
        WireWriter writer = new WireWriter(16);
        RequestFields.writeFinished(writer, finished, 7);
        byte[] bytes = writer.toBytes();
        FinishedNumbers[] read = {FinishedNumbers.NONE};
        long least = AllocatedBytes.leastOf(
                () -> read[0] = RequestFields.readFinished(new WireReader("finished", bytes), 7));
        assertEquals(finished, read[0]);
        // The bounds, and the copy that the numbers keep.
        assertTrue(least < 2L * Long.BYTES * bounds.length + 1_000, least + " bytes");
    }

    @Test
    void readingTheHeadOfAnAnswerAllocatesTheAnswerAlone() {
        Answer answer = Answer.reply(new byte[0], 1_700_000_000_000L, 1_600_000_000_000L);
        WireWriter writer = new WireWriter(16);
        RequestFields.writeAnswerHead(writer, answer);
        byte[] bytes = writer.toBytes();
        assertEquals(RequestFields.ANSWER_HEAD_BYTES, bytes.length);
        Answer[] read = {answer};
        long least = AllocatedBytes.leastOf(() -> {
            for (int i = 0; i < TIMES; i++) {
                read[0] = RequestFields.readAnswerHead(new WireReader("answer", bytes));
            }
        });
        assertEquals(answer.upperMillis(), read[0].upperMillis());
        assertTrue(least < 200L * TIMES, least / TIMES + " bytes");
    }

    @Test
    void readingABodyAllocatesTheBodyAlone() {
        WireWriter writer = new WireWriter(16);
        writer.blob(new byte[8]);
        byte[] bytes = writer.toBytes();
        byte[][] read = {{}};
        long least = AllocatedBytes.leastOf(() -> {
            for (int i = 0; i < TIMES; i++) {
                read[0] = new WireReader("item", bytes).blob("body", 8);
            }
        });
        assertEquals(8, read[0].length);
        // The array and the reader.
        assertTrue(least < 90L * TIMES, least / TIMES + " bytes");
    }
}
