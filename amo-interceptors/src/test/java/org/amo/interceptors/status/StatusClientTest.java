package org.amo.interceptors.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.amo.core.replica.AdministrationException;
import org.amo.meetings.Decoder;
import org.amo.meetings.HostileBytes;
import org.junit.jupiter.api.Test;

/** What a client of the status makes of an answer, whoever gave it. */
class StatusClientTest implements HostileBytes {
    private static final int BODY = 12;

    /** A GIOP 1.2 reply with one service context of that length. */
    private static byte[] answer(ByteOrder order, int contextLength, String text) {
        ByteBuffer out = ByteBuffer.allocate(256 + text.length()).order(order);
        out.put("GIOP".getBytes(StandardCharsets.US_ASCII)).put(new byte[] {1, 2});
        out.put((byte) (order == ByteOrder.LITTLE_ENDIAN ? 1 : 0)).put((byte) 1).putInt(0);
        out.putInt(1).putInt(0);
        out.putInt(1).putInt(7).putInt(contextLength).put(new byte[3]);
        out.position((out.position() + 7) & -8);
        out.putInt(text.length() + 1)
                .put(text.getBytes(StandardCharsets.US_ASCII))
                .put((byte) 0);
        out.putInt(8, out.position() - BODY);
        return Arrays.copyOf(out.array(), out.position());
    }

    private static String read(byte[] answer) throws AdministrationException {
        try {
            return StatusClient.reply(new ByteArrayInputStream(answer), "here");
        } catch (EOFException e) {
            throw new AdministrationException(AdministrationException.Cause.NO_MEMBER, "it ended");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public List<Decoder> decoders() {
        return List.of(Decoder.of(
                        "status answer",
                        AdministrationException.class,
                        StatusClientTest::read,
                        answer(ByteOrder.BIG_ENDIAN, 3, "{}"),
                        answer(ByteOrder.LITTLE_ENDIAN, 3, "{\"id\":\"a\"}"))
                .taking(16_000)); // read by pieces of this size
    }

    @Test
    void bothByteOrdersAreRead() throws Exception {
        assertEquals("{}", read(answer(ByteOrder.BIG_ENDIAN, 3, "{}")));
        assertEquals("", read(answer(ByteOrder.LITTLE_ENDIAN, 3, "")));
    }

    @Test
    void anAnswerThatIsCutShortIsNoStatus() {
        byte[] whole = answer(ByteOrder.BIG_ENDIAN, 3, "{\"position\":7}");
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThrows(AdministrationException.class, () -> read(cut), "cut at " + length);
            if (length >= BODY) {
                ByteBuffer.wrap(cut).putInt(8, length - BODY);
                assertThrows(AdministrationException.class, () -> read(cut), "said to end at " + length);
            }
        }
    }

    /** It had the same context read two thousand million times. */
    @Test
    void aLengthBelowZeroDoesNotGoBack() {
        byte[] answer = answer(ByteOrder.BIG_ENDIAN, -8, "{}");
        ByteBuffer.wrap(answer).putInt(BODY + 8, Integer.MAX_VALUE);
        long began = System.nanoTime();
        assertThrows(AdministrationException.class, () -> read(answer));
        assertTrue(System.nanoTime() - began < 1_000_000_000L);
    }

    /** Other exceptions come from a program that is no replica. */
    @Test
    void aReplicaThatStillJoinsIsSilent() {
        assertEquals(AdministrationException.Cause.SILENT, causeOf("IDL:omg.org/CORBA/TRANSIENT:1.0"));
        assertEquals(AdministrationException.Cause.NO_MEMBER, causeOf("IDL:omg.org/CORBA/OBJECT_NOT_EXIST:1.0"));
    }

    private static AdministrationException.Cause causeOf(String systemException) {
        byte[] answer = answer(ByteOrder.BIG_ENDIAN, 3, systemException);
        ByteBuffer.wrap(answer).putInt(BODY + 4, 2);
        return assertThrows(AdministrationException.class, () -> read(answer)).reason();
    }
}
