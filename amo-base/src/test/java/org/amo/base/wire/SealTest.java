package org.amo.base.wire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import javax.crypto.SecretKey;
import org.junit.jupiter.api.Test;

class SealTest {
    private static final byte[] SECRET = "Jefe".getBytes(UTF_8);
    private static final HexFormat HEX = HexFormat.of();

    /** RFC 4231, test case 2. */
    @Test
    void aHashIsTheHmacOfTheLabelAndTheParts() {
        String right = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assertEquals(right, HEX.formatHex(Seal.ofKey(SECRET).hash("what do ya want for nothing?")));
        assertEquals(
                right,
                HEX.formatHex(Seal.ofKey(SECRET)
                        .hash("what do ya ", "want for".getBytes(UTF_8), " nothing?".getBytes(UTF_8))));
    }

    @Test
    void aKeyIsTheHashOfItsPurpose() {
        byte[] key = Seal.ofKey(SECRET).hash("amo scmp 1|datagram");
        assertArrayEquals(
                Seal.ofKey(key).hash("pay 10"),
                Seal.of(SECRET, "amo scmp 1|datagram").hash("pay 10"));
    }

    @Test
    void twoPurposesOfOneSecretShareNoTag() {
        byte[] one = Seal.of(SECRET, "amo scmp 1|datagram").hash("pay 10");
        byte[] other = Seal.of(SECRET, "amo members 1").hash("pay 10");
        assertFalse(Arrays.equals(one, other));
        assertFalse(Arrays.equals(one, Seal.ofKey(SECRET).hash("pay 10")));
    }

    @Test
    void aTagIsTheFirstHalfOfTheHash() {
        byte[] content = "what do ya want for nothing?".getBytes(UTF_8);
        byte[] datagram = Seal.ofKey(SECRET).sealed(content);
        assertArrayEquals(content, Arrays.copyOf(datagram, content.length));
        assertEquals("5bdcc146bf60754e6a042426089575c7", HEX.formatHex(datagram, content.length, datagram.length));
    }

    @Test
    void aDatagramOpensUntilAnyByteIsChanged() {
        Seal seal = Seal.ofKey(SECRET);
        // It stands inside of a larger buffer, as a network library may give it.
        ByteBuffer buffer = ByteBuffer.allocateDirect(64).put((byte) 9).put(new byte[] {1, 2, 3});
        seal.sign(buffer, 1);
        ByteBuffer datagram = buffer.flip().position(1);
        ByteBuffer opened = datagram.duplicate();
        assertTrue(seal.open(opened));
        assertEquals(ByteBuffer.wrap(new byte[] {1, 2, 3}), opened);
        assertFalse(Seal.ofKey(new byte[] {1}).open(datagram.duplicate()), "another key");
        for (int i = 1; i < datagram.limit(); i++) {
            buffer.put(i, (byte) (buffer.get(i) ^ 0x80));
            assertFalse(seal.open(datagram.duplicate()), "byte " + i);
            buffer.put(i, (byte) (buffer.get(i) ^ 0x80));
        }
        assertFalse(seal.open(ByteBuffer.allocate(Seal.BYTES - 1)), "too short for a tag");
    }

    @Test
    void aFrameOpensUnderItsKeyAndNumberWithItsHeader() {
        AesGcm cipher = new AesGcm();
        SecretKey key = AesGcm.key(new byte[32]);
        byte[] frame = new byte[2 + 3 + AesGcm.TAG_BYTES];
        frame[0] = 7;
        cipher.seal(key, 1L << 40, new byte[] {0, 1, 2, 3}, 1, 3, frame, 2);
        assertArrayEquals(
                new byte[] {1, 2, 3},
                cipher.open(key, 1L << 40, frame, 0, frame.length, 2).orElseThrow());
        assertEquals(Optional.empty(), cipher.open(key, 1, frame, 0, frame.length, 2), "another number");
        SecretKey another = AesGcm.key(Arrays.copyOf(new byte[] {1}, 32));
        assertEquals(Optional.empty(), cipher.open(another, 1L << 40, frame, 0, frame.length, 2), "another key");
        assertEquals(Optional.empty(), cipher.open(key, 1L << 40, frame, 0, 17, 2), "too short for a tag");
        frame[0] = 8;
        assertEquals(Optional.empty(), cipher.open(key, 1L << 40, frame, 0, frame.length, 2), "another header");
    }

    /** Test case 13 of McGrew and Viega, "The Galois/Counter Mode of Operation": no content, all zero. */
    @Test
    void aFrameIsSealedByAes256InGaloisCounterMode() {
        byte[] frame = new byte[AesGcm.TAG_BYTES];
        new AesGcm().seal(AesGcm.key(new byte[32]), 0, new byte[0], 0, 0, frame, 0);
        assertEquals("530f8afbc74536b9a963b4f1c4cb738b", HEX.formatHex(frame));
    }
}
