package org.amo.replication.order.group;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.amo.base.SecretRing;
import org.amo.base.wire.AesGcm;
import org.amo.base.wire.Seal;
import org.amo.base.wire.Secrets;
import org.junit.jupiter.api.Test;

/** Frames between members while they exchange their secret. */
final class FrameSealExchangeTest {
    private static final String OLD = "00".repeat(32);
    private static final String NEW = "11".repeat(32);
    private static final String BOTH = "amo secrets\n" + OLD + "\n" + NEW;
    private static final String SWITCHED = "amo secrets\n" + NEW + "\n" + OLD;
    private static final byte[] CONTENT = "transfer".getBytes(UTF_8);
    private static final int SALT_BYTES = 16;

    private final SecretRing ourRing = SecretRing.of(OLD);
    private final SecretRing peerRing = SecretRing.of(OLD);
    private final FrameSeal ours = new FrameSeal("bank", ourRing);
    private final FrameSeal peer = new FrameSeal("bank", peerRing);

    private byte[] fromPeer() {
        return peer.seal(CONTENT, 0, CONTENT.length);
    }

    private boolean opens(byte[] frame) {
        return ours.open(frame, 0, frame.length).isPresent();
    }

    private static byte[] salt(byte[] frame) {
        return Arrays.copyOf(frame, SALT_BYTES);
    }

    @Test
    void membersInNeighbouringStepsReadEachOther() {
        String[] steps = {OLD, BOTH, SWITCHED, NEW};
        for (int step = 1; step < steps.length; step++) {
            ourRing.change(steps[step]);
            assertTrue(opens(fromPeer()), "we are ahead in step " + step);
            byte[] frame = ours.seal(CONTENT, 0, CONTENT.length);
            // The last step comes once no member seals with the old secret any more, and the second once all take the
            // new one.
            assertTrue(peer.open(frame, 0, frame.length).isPresent(), "the peer is behind in step " + step);
            peerRing.change(steps[step]);
            assertTrue(opens(fromPeer()), "both are in step " + step);
        }
    }

    @Test
    void theFirstSecretAloneSeals() {
        peerRing.change(BOTH);
        assertTrue(opens(fromPeer()));
        peerRing.change(SWITCHED);
        assertFalse(opens(fromPeer()));
        ourRing.change(BOTH);
        assertTrue(opens(fromPeer()));
    }

    @Test
    void aRemovedSecretOpensNothing() {
        byte[] recorded = fromPeer();
        byte[] later = fromPeer();
        assertTrue(opens(recorded));
        ourRing.change(SWITCHED);
        ourRing.change(NEW);
        assertFalse(opens(later));
        assertFalse(ours.opens(later));
        assertFalse(opens(recorded));
    }

    @Test
    void aRecordedFrameOpensOnceWhicheverSecretItHasAndInEachStep() {
        ourRing.change(BOTH);
        byte[] underOld = fromPeer();
        assertTrue(opens(underOld));
        peerRing.change(SWITCHED);
        byte[] underNew = fromPeer();
        assertTrue(opens(underNew));
        ourRing.change(SWITCHED);
        assertFalse(opens(underOld));
        assertFalse(opens(underNew));
        ourRing.change(NEW);
        assertFalse(opens(underNew));
        assertTrue(opens(fromPeer()), "the window of a secret that stays goes on");
    }

    @Test
    void aProcessSealsUnderAnotherSaltWithAnotherSecretAndKeepsItOtherwise() {
        byte[] first = salt(fromPeer());
        peerRing.change(BOTH);
        assertEquals(ByteBuffer.wrap(first), ByteBuffer.wrap(salt(fromPeer())));
        Set<ByteBuffer> salts = new HashSet<>(Set.of(ByteBuffer.wrap(first)));
        for (String step : new String[] {SWITCHED, BOTH, SWITCHED}) {
            peerRing.change(step);
            assertTrue(salts.add(ByteBuffer.wrap(salt(fromPeer()))), "no salt comes twice");
        }
    }

    /** A holder of the old secret reads the salt of a session under the new one, and moves no window of it. */
    @Test
    void aForgerWithTheOldSecretShutsNoSessionOfTheNewOneOut() {
        ourRing.change(BOTH);
        peerRing.change(SWITCHED);
        byte[] genuine = fromPeer();
        byte[] forged = forged(salt(genuine), Long.MAX_VALUE);
        assertTrue(opens(forged), "the old secret is still accepted");
        assertTrue(opens(genuine));
        assertTrue(opens(fromPeer()));
        ourRing.change(NEW);
        assertFalse(opens(forged(salt(genuine), 1)));
        assertTrue(opens(fromPeer()));
    }

    private static byte[] forged(byte[] salt, long number) {
        byte[] frame = new byte[SALT_BYTES + Long.BYTES + CONTENT.length + AesGcm.TAG_BYTES];
        ByteBuffer.wrap(frame).put(salt).putLong(number);
        byte[] key = Seal.ofKey(Secrets.key(OLD, "amo bank")).hash("", salt);
        new AesGcm().seal(AesGcm.key(key), number, CONTENT, 0, CONTENT.length, frame, SALT_BYTES + Long.BYTES);
        return frame;
    }
}
