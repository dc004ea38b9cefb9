package org.amo.replication.order.group;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class FrameSealTest {
    private static final byte[] CONTENT = "transfer 10 from x to y".getBytes(UTF_8);

    private final FrameSeal ours = new FrameSeal("bank", "sesame");

    @Test
    void aMemberWithTheSameSecretReadsTheFrame() {
        FrameSeal peer = new FrameSeal("bank", "sesame");
        byte[] frame = ours.seal(CONTENT, 0, CONTENT.length);
        assertArrayEquals(CONTENT, peer.open(frame, 0, frame.length).orElseThrow());
        assertFalse(new String(frame, UTF_8).contains("transfer"));
    }

    @Test
    void partOfAnArrayIsSealedAndOpenedInPlace() {
        byte[] frame = ours.seal(CONTENT, 9, 2);
        byte[] around = new byte[frame.length + 7];
        System.arraycopy(frame, 0, around, 5, frame.length);
        assertEquals("10", new String(ours.open(around, 5, frame.length).orElseThrow(), UTF_8));
    }

    @Test
    void anEmptyFrameIsAFrame() {
        byte[] frame = ours.seal(CONTENT, 0, 0);
        assertEquals(0, ours.open(frame, 0, frame.length).orElseThrow().length);
    }

    @Test
    void anotherSecretOrGroupReadsNothing() {
        byte[] frame = ours.seal(CONTENT, 0, CONTENT.length);
        assertTrue(new FrameSeal("bank", "Sesame").open(frame, 0, frame.length).isEmpty());
        assertTrue(new FrameSeal("shop", "sesame").open(frame, 0, frame.length).isEmpty());
    }

    @Test
    void everyBitOfAFrameIsGuarded() {
        byte[] frame = ours.seal(CONTENT, 0, CONTENT.length);
        for (int bit = 0; bit < frame.length * 8; bit++) {
            byte[] changed = frame.clone();
            changed[bit / 8] ^= (byte) (1 << bit % 8);
            assertTrue(ours.open(changed, 0, changed.length).isEmpty(), "bit " + bit);
        }
        for (int length = 0; length < frame.length; length++) {
            assertTrue(ours.open(frame, 0, length).isEmpty(), "length " + length);
        }
    }

    @Test
    void noTwoFramesAreSealedWithTheSameKeyAndNonce() {
        Set<String> heads = new HashSet<>();
        for (int process = 0; process < 3; process++) {
            FrameSeal seal = new FrameSeal("bank", "sesame");
            for (int i = 0; i < 100; i++) {
                assertTrue(heads.add(Arrays.toString(Arrays.copyOf(seal.seal(CONTENT, 0, 1), 24))));
            }
        }
    }
}
