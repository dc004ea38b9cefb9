package org.amo.meetings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Decoders with a mistake are found, and one without is not blamed. */
class HostileBytesTest implements HostileBytes {
    private static final byte[] VALID = {4, 1, 2, 3, 4};

    /** A length, and so many bytes. */
    private static byte[] read(byte[] frame) throws IOException {
        if (frame.length == 0 || frame[0] < 0 || frame[0] > frame.length - 1) {
            throw new IOException("length");
        }
        return Arrays.copyOfRange(frame, 1, 1 + frame[0]);
    }

    @Override
    public List<Decoder> decoders() {
        return List.of(Decoder.of("length and bytes", IOException.class, HostileBytesTest::read, VALID));
    }

    private static void blamed(String why, Decoder.Reading reading) {
        Decoder decoder = Decoder.of("wrong", IOException.class, reading, VALID);
        AssertionError found = assertThrows(AssertionError.class, () -> MutatedFrames.check(decoder, 20_000));
        assertTrue(String.valueOf(found.getMessage()).contains(why), found.getMessage());
    }

    @Test
    void anExceptionThatIsNotDeclaredIsFound() {
        blamed("NegativeArraySizeException", frame -> {
            byte[] bytes = new byte[frame.length == 0 ? 0 : frame[0]];
            bytes[0] = 1;
        });
    }

    @Test
    void aLengthThatIsBelievedIsFound() {
        blamed("were allocated for", frame -> {
            byte[] bytes = new byte[frame.length == 0 ? 1 : (frame[0] & 0xFF) << 10];
            if (read(frame).length > bytes.length) {
                throw new IOException("length");
            }
        });
    }

    @Test
    void aValidFrameThatIsRefusedIsFound() {
        blamed("refuses the valid", frame -> {
            throw new IOException("no");
        });
    }

    /** Jazzer does not change what it is given, and finds the decoder by its name. */
    @Test
    void jazzersTargetReadsByTheDecoder() {
        FuzzedDecoder.fuzzerInitialize(new String[] {HostileBytesTest.class.getName(), "length", "and", "bytes"});
        byte[] frame = {9};
        FuzzedDecoder.fuzzerTestOneInput(frame);
        assertEquals(9, frame[0]);
        assertThrows(
                IllegalArgumentException.class,
                () -> FuzzedDecoder.fuzzerInitialize(new String[] {HostileBytesTest.class.getName(), "another"}));
    }
}
