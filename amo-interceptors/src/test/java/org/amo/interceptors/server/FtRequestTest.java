package org.amo.interceptors.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.amo.base.wire.MalformedFrameException;
import org.amo.meetings.Decoder;
import org.amo.meetings.HostileBytes;
import org.junit.jupiter.api.Test;

class FtRequestTest implements HostileBytes {
    /** As the standard lays it out; JacORB and omniORB were seen to send the same. */
    static byte[] encode(String clientId, int retentionId, long expirationMillis, boolean littleEndian) {
        ByteBuffer out = ByteBuffer.allocate(64 + clientId.length());
        out.put((byte) (littleEndian ? 1 : 0));
        out.order(littleEndian ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
        out.position(4);
        out.putInt(clientId.length() + 1)
                .put(clientId.getBytes(StandardCharsets.ISO_8859_1))
                .put((byte) 0);
        out.position(out.position() + 3 & -4);
        out.putInt(retentionId);
        out.position(out.position() + 7 & -8);
        out.putLong((expirationMillis + 12_219_292_800_000L) * 10_000);
        return Arrays.copyOf(out.array(), out.position());
    }

    @Override
    public List<Decoder> decoders() {
        return List.of(Decoder.of(
                "FT_REQUEST context",
                MalformedFrameException.class,
                bytes -> CallIdentity.foreignId(FtRequest.decode(bytes)),
                encode("a client", -7, 1_700_000_000_000L, false),
                encode("", 7, 0, true)));
    }

    @Test
    void theLongestIdAndTheLastExpirationAreRead() {
        String longest = "c".repeat(4_095);
        long last = 1L << 48;
        assertEquals(new FtRequest(longest, 1, last), FtRequest.decode(encode(longest, 1, last, false)));
        byte[] longer = encode(longest + "c", 1, last, false);
        assertThrows(MalformedFrameException.class, () -> FtRequest.decode(longer));
        byte[] later = encode(longest, 1, last + 1, false);
        assertThrows(MalformedFrameException.class, () -> FtRequest.decode(later));
    }

    @Test
    void bothByteOrdersAndEveryAlignment() {
        for (int length = 0; length < 9; length++) {
            String client = "abcdefghi".substring(0, length);
            FtRequest expected = new FtRequest(client, -7, 1_700_000_000_000L);
            assertEquals(expected, FtRequest.decode(encode(client, -7, 1_700_000_000_000L, false)));
            assertEquals(expected, FtRequest.decode(encode(client, -7, 1_700_000_000_000L, true)));
        }
    }

    @Test
    void theEpochOfATimeTIsThatOfTheStandard() {
        // 1970-01-01 is day 141,427 of the Gregorian calendar.
        assertEquals(12_219_292_800_000L, 141_427L * 86_400_000L);
    }

    @Test
    void whatEndsTooEarlyOrClaimsTooMuchIsRefused() {
        byte[] good = encode("client", 1, 1_000, false);
        for (int length = 0; length < good.length; length++) {
            byte[] cut = Arrays.copyOf(good, length);
            assertThrows(MalformedFrameException.class, () -> FtRequest.decode(cut));
        }
        byte[] huge = good.clone();
        Arrays.fill(huge, 4, 8, (byte) 0x7F);
        assertThrows(MalformedFrameException.class, () -> FtRequest.decode(huge));
        byte[] before1970 = encode("client", 1, -1, false);
        assertThrows(MalformedFrameException.class, () -> FtRequest.decode(before1970));
        byte[] order = good.clone();
        order[0] = 2;
        assertThrows(MalformedFrameException.class, () -> FtRequest.decode(order));
    }
}
