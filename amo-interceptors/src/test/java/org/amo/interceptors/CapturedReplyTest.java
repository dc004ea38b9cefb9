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
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.SystemException;
import org.omg.CORBA.UNKNOWN;

class CapturedReplyTest implements HostileBytes {
    private static final byte[] BODY = {7, 8, 9};

    @Test
    void golden() {
        assertEquals("0100" + "03070809", hex(CapturedReply.normal(BODY)));
        assertEquals("0101" + "03070809", hex(CapturedReply.userException(BODY)));
        assertEquals(
                "0102" + "1f" + "49444c3a6f6d672e6f72672f434f5242412f4241445f504152414d3a312e30" + "414d0001" + "01",
                hex(CapturedReply.systemException(
                        new BAD_PARAM("not kept", MinorCodes.ID_REUSED, CompletionStatus.COMPLETED_NO))));
    }

    @Test
    void whatIsEncodedIsDecoded() {
        CapturedReply reply =
                CapturedReply.decode(CapturedReply.userException(BODY).encode());
        assertEquals(CapturedReply.Kind.USER_EXCEPTION, reply.kind());
        assertArrayEquals(BODY, reply.body());
        SystemException thrown = CapturedReply.decode(
                        CapturedReply.systemException(new BAD_PARAM("not kept", 5, CompletionStatus.COMPLETED_MAYBE))
                                .encode())
                .toSystemException();
        assertEquals(BAD_PARAM.class, thrown.getClass());
        assertEquals(5, thrown.minor);
        assertEquals(CompletionStatus.COMPLETED_MAYBE, thrown.completed);
    }

    @Test
    void anExceptionThatIsNotOfTheStandardBecomesUnknown() {
        for (String id : new String[] {"IDL:omg.org/CORBA/NO_SUCH:1.0", "IDL:x:1.0", "", "IDL:omg.org/CORBA/ORB:1.0"}) {
            CapturedReply reply = new CapturedReply(CapturedReply.Kind.SYSTEM_EXCEPTION, BODY, id, 3, 2);
            assertEquals(UNKNOWN.class, reply.toSystemException().getClass());
        }
    }

    @Test
    void whatIsCutOrOfAnotherVersionIsRefused() {
        for (CapturedReply reply : new CapturedReply[] {
            CapturedReply.normal(BODY), CapturedReply.systemException(new BAD_PARAM(1, CompletionStatus.COMPLETED_NO))
        }) {
            byte[] good = reply.encode();
            for (int length = 0; length < good.length; length++) {
                byte[] cut = Arrays.copyOf(good, length);
                assertThrows(MalformedFrameException.class, () -> CapturedReply.decode(cut));
            }
            byte[] version = good.clone();
            version[0] = 2;
            assertThrows(MalformedFrameException.class, () -> CapturedReply.decode(version));
            byte[] kind = good.clone();
            kind[1] = 3;
            assertThrows(MalformedFrameException.class, () -> CapturedReply.decode(kind));
        }
    }

    private static String hex(CapturedReply reply) {
        return HexFormat.of().formatHex(reply.encode());
    }

    @Override
    public List<Decoder> decoders() {
        return List.of(Decoder.of(
                "CORBA reply",
                MalformedFrameException.class,
                bytes -> CapturedReply.decode(bytes).toSystemException(),
                CapturedReply.normal(new byte[] {7, 8, 9}).encode(),
                CapturedReply.systemException(new BAD_PARAM()).encode()));
    }
}
