package org.amo.scmp.udp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Optional;
import org.amo.meetings.Fuzz;
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
