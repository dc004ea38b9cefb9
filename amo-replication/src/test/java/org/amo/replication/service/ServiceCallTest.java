package org.amo.replication.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HexFormat;
import java.util.Optional;
import org.amo.base.ClientId;
import org.amo.base.wire.MalformedFrameException;
import org.amo.core.client.ClientCall.Identity;
import org.amo.core.request.Refusal;
import org.amo.core.request.RequestId;
import org.junit.jupiter.api.Test;

/** Identity and result of a nested call, byte by byte (docs/wire/ordered-entry.md). */
class ServiceCallTest {
    private static final String IDENTITY = "0102030405060708090a0b0c0d0e0f10" + "ac02" + "0000018bcfe56800" + "904e";
    private static final String NOT_EXECUTED = "01" + "03" + "046c617465";

    private static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex);
    }

    @Test
    void goldenIdentity() {
        ClientId client = new ClientId(0x0102_0304_0506_0708L, 0x090A_0B0C_0D0E_0F10L);
        Identity identity = new Identity(RequestId.own(client, 300), 1_700_000_000_000L, 1_700_000_010_000L);
        assertEquals(IDENTITY, HexFormat.of().formatHex(ServiceCall.encode(identity)));
        assertEquals(identity, ServiceCall.decode(bytes(IDENTITY)));
    }

    @Test
    void goldenResults() {
        assertEquals("000001", HexFormat.of().formatHex(ServiceCall.replied(bytes("0001"))));
        assertArrayEquals(bytes("0001"), ServiceCall.open("back", Optional.of(bytes("000001"))));
        AmoNotExecutedException late = new AmoNotExecutedException("late", Optional.of(Refusal.EXPIRED));
        assertEquals(NOT_EXECUTED, HexFormat.of().formatHex(ServiceCall.notExecuted(late)));
        AmoNotExecutedException read = assertThrows(
                AmoNotExecutedException.class, () -> ServiceCall.open("back", Optional.of(bytes(NOT_EXECUTED))));
        assertEquals("late", read.getMessage());
        assertEquals(Optional.of(Refusal.EXPIRED), read.reason());
        AmoUnknownException unknown =
                assertThrows(AmoUnknownException.class, () -> ServiceCall.open("back", Optional.empty()));
        assertTrue(unknown.getMessage().contains("group back"), unknown.getMessage());
    }

    @Test
    void otherBytesAreMalformed() {
        for (String result : new String[] {"", "02", "0103", NOT_EXECUTED + "00"}) {
            assertThrows(
                    MalformedFrameException.class, () -> ServiceCall.open("back", Optional.of(bytes(result))), result);
        }
        assertThrows(MalformedFrameException.class, () -> ServiceCall.decode(bytes(IDENTITY + "00")));
    }
}
