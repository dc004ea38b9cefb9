package org.amo.interceptors;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.amo.base.wire.MalformedFrameException;
import org.amo.meetings.Decoder;
import org.amo.meetings.HostileBytes;
import org.junit.jupiter.api.Test;
import org.omg.CORBA.BAD_PARAM;

class NestedReplyTest implements HostileBytes {
    private static final NestedReply REPLY =
            new NestedReply(true, 1, 4, 0x0501_0001, 0x0001_0109, CapturedReply.normal(new byte[] {7, 8, 9}));

    @Test
    void golden() {
        assertEquals(
                "01" + "01" + "01" + "04" + "05010001" + "00010109" + "0100" + "03070809",
                HexFormat.of().formatHex(REPLY.encode()));
    }

    @Test
    void whatIsEncodedIsDecoded() {
        NestedReply decoded = NestedReply.decode(REPLY.encode());
        assertEquals(true, decoded.littleEndian());
        assertEquals(4, decoded.pad());
        assertEquals(0x0501_0001, decoded.charCodeSet());
        assertEquals(0x0001_0109, decoded.wcharCodeSet());
        assertEquals(1, decoded.giopMinor());
        assertArrayEquals(REPLY.reply().body(), decoded.reply().body());
    }

    @Test
    void whatIsCutOrOutOfRangeIsRefused() {
        byte[] good = REPLY.encode();
        for (int length = 0; length < good.length; length++) {
            byte[] cut = Arrays.copyOf(good, length);
            assertThrows(MalformedFrameException.class, () -> NestedReply.decode(cut));
        }
        for (int at = 0; at < 4; at++) {
            byte[] wrong = good.clone();
            wrong[at] = 7;
            assertThrows(MalformedFrameException.class, () -> NestedReply.decode(wrong));
        }
    }

    @Override
    public List<Decoder> decoders() {
        return List.of(Decoder.of(
                "result of a nested CORBA call",
                MalformedFrameException.class,
                NestedReply::decode,
                REPLY.encode(),
                NestedReply.of(CapturedReply.systemException(new BAD_PARAM())).encode()));
    }
}
