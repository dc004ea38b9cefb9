package org.amo.grpc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.grpc.Metadata;
import io.grpc.Status;
import java.util.HexFormat;
import java.util.Optional;
import org.amo.base.wire.MalformedFrameException;
import org.junit.jupiter.api.Test;

/** The bytes of a kept reply, as docs/wire/grpc.md has them. */
final class KeptReplyTest {
    /** OK, headers without pairs, the message 1 2 3, no trailers. */
    private static final String REPLY = "01" + "00" + "03" + "00" + "03010203" + "00";

    /** NOT_FOUND, "no", no headers, no message, two trailers. */
    private static final String FAILURE =
            "01" + "05" + "04" + "026e6f" + "02" + "06726561736f6e" + "0161" + "0a726561736f6e2d62696e" + "0200ff";

    @Test
    void aReply() {
        KeptReply reply = new KeptReply(
                Status.OK, Optional.of(new Metadata()), Optional.of(new byte[] {1, 2, 3}), new Metadata());
        assertEquals(REPLY, HexFormat.of().formatHex(reply.encode()));
        KeptReply read = KeptReply.decode(HexFormat.of().parseHex(REPLY));
        assertEquals(Status.Code.OK, read.status().getCode());
        assertArrayEquals(new byte[] {1, 2, 3}, read.message().orElseThrow());
        assertEquals(true, read.headers().isPresent());
    }

    @Test
    void aFailure() {
        KeptReply read = KeptReply.decode(HexFormat.of().parseHex(FAILURE));
        assertEquals(Status.Code.NOT_FOUND, read.status().getCode());
        assertEquals("no", read.status().getDescription());
        assertEquals("a", read.trailers().get(CounterService.TEXT));
        assertArrayEquals(new byte[] {0, (byte) 0xff}, read.trailers().get(CounterService.BINARY));
        assertEquals(Optional.empty(), read.message());
        // Pairs come in the order of gRPC's set of keys.
        KeptReply again = KeptReply.decode(read.encode());
        assertEquals("a", again.trailers().get(CounterService.TEXT));
        assertArrayEquals(new byte[] {0, (byte) 0xff}, again.trailers().get(CounterService.BINARY));
    }

    @Test
    void damageIsRefused() {
        for (String bytes : new String[] {
            "", "02" + REPLY.substring(2), "0111" + REPLY.substring(4), "010008", REPLY + "00", REPLY.substring(0, 10)
        }) {
            assertThrows(
                    MalformedFrameException.class,
                    () -> KeptReply.decode(HexFormat.of().parseHex(bytes)),
                    bytes);
        }
    }
}
