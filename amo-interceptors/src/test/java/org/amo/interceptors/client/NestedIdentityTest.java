package org.amo.interceptors.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.amo.base.ClientId;
import org.amo.base.wire.MalformedFrameException;
import org.amo.core.wire.RequestContext;
import org.amo.meetings.Decoder;
import org.amo.meetings.HostileBytes;
import org.junit.jupiter.api.Test;

class NestedIdentityTest implements HostileBytes {
    private static final NestedIdentity NUMBERED =
            NestedIdentity.of(new ClientId(1, 2), new RequestContext.Call(300, 1_000, 1_005));

    @Test
    void golden() {
        assertEquals("0102", hex(NestedIdentity.QUESTION));
        assertEquals(
                "0101" + "0000000000000001" + "0000000000000002" + "ac02" + "00000000000003e8" + "05", hex(NUMBERED));
    }

    @Test
    void whatIsEncodedIsDecoded() {
        assertEquals(NUMBERED, NestedIdentity.decode(NUMBERED.encode()));
        assertEquals(NestedIdentity.QUESTION, NestedIdentity.decode(NestedIdentity.QUESTION.encode()));
    }

    @Test
    void whatIsCutOrOfAnotherVersionIsRefused() {
        byte[] good = NUMBERED.encode();
        for (int length = 0; length < good.length; length++) {
            byte[] cut = Arrays.copyOf(good, length);
            assertThrows(MalformedFrameException.class, () -> NestedIdentity.decode(cut));
        }
        for (int at = 0; at < 2; at++) {
            byte[] wrong = good.clone();
            wrong[at] = 7;
            assertThrows(MalformedFrameException.class, () -> NestedIdentity.decode(wrong));
        }
    }

    @Override
    public List<Decoder> decoders() {
        return List.of(Decoder.of(
                "identity of a nested CORBA call",
                MalformedFrameException.class,
                NestedIdentity::decode,
                NUMBERED.encode(),
                NestedIdentity.QUESTION.encode()));
    }

    private static String hex(NestedIdentity identity) {
        return HexFormat.of().formatHex(identity.encode());
    }
}
