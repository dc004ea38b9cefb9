package org.amo.scmp.udp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Optional;
import org.amo.meetings.Fuzz;
import org.amo.scmp.Call;
import org.amo.scmp.ConnectionId;
import org.amo.scmp.RpcDatagrams;
import org.junit.jupiter.api.Test;

final class DatagramSealTest {
    private final DatagramSeal seal = DatagramSeal.of(Optional.of("a s3cret of tests".getBytes(UTF_8)));

    /** The bytes of docs/wire/scmp.md: clients and servers of different versions understand each other. */
    @Test
    void theSealIsThatOfTheWire() {
        ByteBuffer datagram = ByteBuffer.allocate(20).put(new byte[] {9, 1, 2, 3});
        seal.seal(datagram, 1);
        assertEquals("09010203" + "37fcaf99ca838a8fa077e5d3eb8a5634", Fuzz.hex(datagram.array()));
        assertTrue(seal.open(datagram.flip().position(1)));
        assertEquals(4, datagram.limit(), "before the seal");
        assertFalse(seal.open(datagram), "without a seal");
    }

    /** The examples of docs/wire/scmp.md: a call under the server's key, and the same under the key of client till-7. */
    @Test
    void bothFormsOfASealedCallAreThoseOfTheWire() {
        byte[] key = "a s3cret of tests".getBytes(UTF_8);
        String tail = "090a0b0c0d0e0f10" + "00060a24181e4000" + "00000003" + "010203" + "00".repeat(13);
        assertEquals(
                "5c110007" + "10000002" + "0102030405060708" + tail + "438a360cb546854817ea2e36f273f6a4",
                sealedCall(seal, 0x0102030405060708L));
        ScmpCredential till = ScmpCredential.of(key, "till-7");
        assertEquals("a0c64689a072f75e7cbb7942e6a8bbaf30fe1417714b8eb7a9f28e8a01500349", Fuzz.hex(till.key()));
        assertEquals(
                "5c210007" + "10000002" + "ee686253f9c249a5" + tail + "ce3020e45cc30fea66f222d19a8b4b99",
                sealedCall(DatagramSeal.ofClient(till.key()), ScmpCredential.clientHigh("till-7")));
    }

    private static String sealedCall(DatagramSeal seal, long clientHigh) {
        ConnectionId connection = new ConnectionId(clientHigh, 0x090a0b0c0d0e0f10L, 0x10000002);
        ByteBuffer datagram = ByteBuffer.allocate(RpcDatagrams.MIN_REQUEST + RpcDatagrams.SEAL);
        RpcDatagrams.call(datagram, new Call(connection, 1_700_000_000_000_000L, 7, new byte[] {1, 2, 3}), 0);
        seal.seal(datagram, 0);
        return Fuzz.hex(datagram.array());
    }

    @Test
    void withoutAKeyThereIsNoSeal() {
        DatagramSeal none = DatagramSeal.of(Optional.empty());
        ByteBuffer datagram = ByteBuffer.allocate(20).put((byte) 1);
        none.seal(datagram, 0);
        assertEquals(1, datagram.position());
        assertTrue(none.open(datagram.flip()));
        assertEquals(1, datagram.remaining());
    }
}
