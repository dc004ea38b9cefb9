package org.amo.cli.exon;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.amo.cli.ExitCodes;
import org.junit.jupiter.api.Test;

class LineStreamsTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final LineStreams streams = new LineStreams(out);

    private void line(long stream, long number, String text) throws IOException {
        streams.onLine(new TransferWire.Line(stream, number, text.getBytes(StandardCharsets.UTF_8)));
    }

    private TransferAnswer end(long stream, long count) {
        return streams.onEnd(new TransferWire.Line(stream, count, new byte[0]));
    }

    private String printed() {
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void eachStreamIsPrintedInItsOrder() throws IOException {
        line(1, 1, "b");
        line(2, 0, "x");
        assertEquals("x\n", printed());
        line(1, 0, "a");
        line(1, 1, "b");
        assertEquals("x\na\nb\n", printed());
        assertEquals(TransferAnswer.arrived(2), end(1, 2));
        assertEquals(TransferAnswer.arrived(0), end(3, 0));
    }

    /** A receiver that was started in the middle has printed none of the stream. */
    @Test
    void theEndTellsOfLinesThatAreMissing() throws IOException {
        line(1, 5, "f");
        TransferAnswer answer = end(1, 6);
        assertEquals(ExitCodes.CHECK_FAILED, answer.exitCode());
        assertEquals("", printed());
    }

    @Test
    void aStreamThatWouldTakeTheMemoryIsDropped() throws IOException {
        String long_ = "x".repeat(TransferWire.MOST_LINE_BYTES);
        for (int i = 1; i < 130; i++) {
            line(1, i, long_);
        }
        line(1, 0, "first");
        assertEquals("first\n", printed(), "its early lines are gone");
        assertEquals(ExitCodes.CHECK_FAILED, end(1, 130).exitCode());
        line(2, 1, long_);
        line(2, 0, "others have room again");
        assertEquals(TransferAnswer.arrived(2), end(2, 2));
    }

    @Test
    void theStreamThatWasSilentLongestGoesFirst() throws IOException {
        for (int i = 0; i <= LineStreams.MOST_STREAMS; i++) {
            line(i, 0, "s" + i);
        }
        assertEquals(ExitCodes.CHECK_FAILED, end(0, 1).exitCode());
        assertEquals(TransferAnswer.arrived(1), end(1, 1));
    }
}
