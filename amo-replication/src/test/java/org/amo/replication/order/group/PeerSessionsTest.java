package org.amo.replication.order.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.amo.meetings.Meeting;
import org.amo.meetings.Meetings;
import org.junit.jupiter.api.Test;

class PeerSessionsTest {
    private final AtomicInteger derived = new AtomicInteger();
    private final PeerSessions<Integer> sessions = new PeerSessions<>(2, salt -> derived.incrementAndGet());

    @Test
    void theKeyOfASessionIsDerivedOnceAFrameOfItWasAuthentic() {
        int key = sessions.key(salt(1)).orElseThrow();
        assertTrue(sessions.admit(salt(1), key, 1));
        assertEquals(key, sessions.key(salt(1)).orElseThrow());
        assertEquals(1, derived.get());
    }

    @Test
    void framesThatNobodyCouldAuthenticateLeaveNoTrace() {
        int key = sessions.key(salt(1)).orElseThrow();
        assertTrue(sessions.admit(salt(1), key, 1));
        for (int stranger = 2; stranger < 100; stranger++) {
            assertTrue(sessions.key(salt(stranger)).isPresent());
        }
        assertEquals(1, sessions.size());
        assertFalse(sessions.admit(salt(1), key, 1));
    }

    @Test
    void theSessionUnusedForLongestIsRetiredForGood() {
        assertTrue(sessions.admit(salt(1), 1, 1));
        assertTrue(sessions.admit(salt(2), 2, 1));
        assertTrue(sessions.admit(salt(1), 1, 2));
        assertTrue(sessions.admit(salt(3), 3, 1));
        assertEquals(2, sessions.size());
        assertTrue(sessions.key(salt(1)).isPresent());
        assertTrue(sessions.key(salt(2)).isEmpty());
        assertFalse(sessions.admit(salt(2), 2, 2));
    }

    @Test
    void aFrameThatTwoConnectionsCarryAtOnceIsAdmittedOnce() {
        Meetings.prove(
                () -> {
                    PeerSessions<Integer> fresh = new PeerSessions<>(8, salt -> 1);
                    return admitting(() -> fresh.admit(salt(1), 1, 1));
                },
                () -> {
                    Set<Integer> unguarded = new HashSet<>();
                    return admitting(() -> {
                        boolean absent = !unguarded.contains(1);
                        unguarded.add(1);
                        return absent;
                    });
                });
    }

    private static Meeting admitting(BooleanSupplier admit) {
        AtomicInteger admitted = new AtomicInteger();
        Meeting.Act act = () -> {
            if (admit.getAsBoolean()) {
                admitted.incrementAndGet();
            }
        };
        return Meeting.of(() -> admitted.get() == 1 ? "" : "admitted " + admitted + " times", act, act);
    }

    private static byte[] salt(int number) {
        return new byte[] {(byte) number};
    }
}
