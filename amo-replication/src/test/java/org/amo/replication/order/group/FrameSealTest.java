package org.amo.replication.order.group;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.amo.base.SecretRing;
import org.amo.meetings.Decoder;
import org.amo.meetings.Fuzz;
import org.amo.meetings.HostileBytes;
import org.amo.meetings.Meeting;
import org.amo.meetings.Meetings;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

final class FrameSealTest implements HostileBytes {
    private static final byte[] CONTENT = "transfer 10 from x to y".getBytes(UTF_8);

    // Shared by the tests, since deriving a key from a secret takes a third of a second here. The frames of each test
    // are new.
    private static final FrameSeal OURS = new FrameSeal("bank", SecretRing.of("sesame"));
    private static final FrameSeal PEER = new FrameSeal("bank", SecretRing.of("sesame"));
    private static final FrameSeal STRANGER = new FrameSeal("bank", SecretRing.of("Sesame"));

    @Override
    public List<Decoder> decoders() {
        return List.of(Decoder.of(
                        "sealed frame",
                        IOException.class, // There is none to throw: a frame opens or it does not.
                        frame -> OURS.open(frame, 0, frame.length),
                        PEER.seal(CONTENT, 0, CONTENT.length),
                        PEER.seal(CONTENT, 0, 0))
                .taking(100_000)); // sessions
    }

    @Test
    void aMemberWithTheSameSecretReadsTheFrame() {
        byte[] frame = OURS.seal(CONTENT, 0, CONTENT.length);
        assertArrayEquals(CONTENT, PEER.open(frame, 0, frame.length).orElseThrow());
        assertFalse(new String(frame, UTF_8).contains("transfer"));
    }

    /** A frame that was recorded once: members of different versions understand each other. */
    @Test
    void aRecordedFrameOpens() {
        byte[] frame = Fuzz.bytes("582b98eecbded7368bb61d1889028fa3" + "0000000000000001" + "cd6755"
                + "ab36e6ee3edfd44a02f34d533764d818");
        assertArrayEquals(
                new byte[] {1, 2, 3}, OURS.open(frame, 0, frame.length).orElseThrow());
    }

    @Test
    void partOfAnArrayIsSealedAndOpenedInPlace() {
        byte[] frame = OURS.seal(CONTENT, 9, 2);
        byte[] around = new byte[frame.length + 7];
        System.arraycopy(frame, 0, around, 5, frame.length);
        assertEquals("10", new String(OURS.open(around, 5, frame.length).orElseThrow(), UTF_8));
    }

    @Test
    void anEmptyFrameIsAFrame() {
        byte[] frame = OURS.seal(CONTENT, 0, 0);
        assertEquals(0, OURS.open(frame, 0, frame.length).orElseThrow().length);
    }

    @Test
    void anotherSecretOrGroupReadsNothing() {
        byte[] frame = OURS.seal(CONTENT, 0, CONTENT.length);
        assertTrue(STRANGER.open(frame, 0, frame.length).isEmpty());
        assertTrue(new FrameSeal("shop", SecretRing.of("sesame"))
                .open(frame, 0, frame.length)
                .isEmpty());
    }

    @Test
    void everyBitOfAFrameIsGuarded() {
        byte[] frame = OURS.seal(CONTENT, 0, CONTENT.length);
        for (int bit = 0; bit < frame.length * 8; bit++) {
            byte[] changed = frame.clone();
            changed[bit / 8] ^= (byte) (1 << bit % 8);
            assertTrue(OURS.open(changed, 0, changed.length).isEmpty(), "bit " + bit);
        }
        for (int length = 0; length < frame.length; length++) {
            assertTrue(OURS.open(frame, 0, length).isEmpty(), "length " + length);
        }
    }

    @Test
    void aRecordedFrameOpensOnce() {
        byte[] first = PEER.seal(CONTENT, 0, CONTENT.length);
        byte[] second = PEER.seal(CONTENT, 0, CONTENT.length);
        assertTrue(OURS.open(second, 0, second.length).isPresent());
        assertTrue(OURS.open(first, 0, first.length).isPresent());
        assertTrue(OURS.open(first, 0, first.length).isEmpty());
        assertTrue(OURS.open(second, 0, second.length).isEmpty());
    }

    /** The sender is new, too: a session without a window yet. */
    @Test
    void aFrameThatIsLookedAtStaysNewUntilItIsOpened() {
        byte[] frame = new FrameSeal("bank", SecretRing.of("sesame")).seal(CONTENT, 0, CONTENT.length);
        assertTrue(OURS.opens(frame));
        assertTrue(OURS.opens(frame));
        assertTrue(OURS.open(frame, 0, frame.length).isPresent());
        assertFalse(OURS.opens(frame));
        assertFalse(OURS.opens(STRANGER.seal(CONTENT, 0, 1)));
    }

    /** Frames of 300 strangers must not push the session of a member, and with it its window, out of the table. */
    @Test
    void strangersDoNotMakeARecordedFrameOpenAgain() {
        byte[] recorded = PEER.seal(CONTENT, 0, CONTENT.length);
        assertTrue(OURS.open(recorded, 0, recorded.length).isPresent());
        byte[] forged = recorded.clone();
        for (int stranger = 0; stranger < 300; stranger++) {
            ByteBuffer.wrap(forged).putInt(stranger);
            assertTrue(OURS.open(forged, 0, forged.length).isEmpty());
        }
        assertTrue(OURS.open(recorded, 0, recorded.length).isEmpty());
    }

    @Test
    void noTwoFramesAreSealedWithTheSameKeyAndNonce() {
        Set<String> heads = new HashSet<>();
        // Of two processes.
        for (FrameSeal seal : List.of(OURS, PEER)) {
            for (int i = 0; i < 100; i++) {
                assertTrue(heads.add(Arrays.toString(Arrays.copyOf(seal.seal(CONTENT, 0, 1), 24))));
            }
        }
    }

    /** A nonce that came twice under one key would give both contents away. */
    @Test
    void noTwoThreadsSealWithTheSameNonce() {
        prove(Thread::yield);
    }

    /** The planted bug is hard to meet, so that far more frames are sealed. */
    @Test
    @Tag("slow")
    void theSameBesideACounterThatIsReadAndWritten() {
        prove(() -> {});
    }

    /** @param moment between the read and the write of the planted bug */
    private static void prove(Runnable moment) {
        Meetings.prove(
                () -> sealing(() -> {
                    byte[] frame = OURS.seal(CONTENT, 0, 1);
                    return ByteBuffer.wrap(frame).getLong(16);
                }),
                () -> {
                    long[] counter = {0};
                    return sealing(() -> {
                        long next = counter[0] + 1;
                        moment.run();
                        counter[0] = next;
                        return next;
                    });
                });
    }

    private static Meeting sealing(LongSupplier nonce) {
        Set<Long> seen = ConcurrentHashMap.newKeySet();
        String[] wrong = {"", ""};
        return Meeting.of(() -> wrong[0] + wrong[1], sealing(nonce, seen, wrong, 0), sealing(nonce, seen, wrong, 1));
    }

    private static Meeting.Act sealing(LongSupplier nonce, Set<Long> seen, String[] wrong, int thread) {
        return () -> {
            for (int i = 0; i < 4; i++) {
                long next = nonce.getAsLong();
                if (!seen.add(next)) {
                    wrong[thread] = "the nonce " + next + " came twice";
                }
            }
        };
    }
}
