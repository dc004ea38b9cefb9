package org.amo.observe;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class ViewersTest {
    private final Viewers viewers = new Viewers();

    private void fill(long now) {
        for (int i = 0; i < Viewers.MOST; i++) {
            assertTrue(viewers.admits("page" + i, now));
        }
    }

    @Test
    void aPageTooManyIsRefusedAndTheOthersGoOn() {
        fill(1);
        assertFalse(viewers.admits("late", 2));
        fill(3);
    }

    @Test
    void aPageThatHasLeftMakesRoomForOne() {
        fill(7);
        long later = 7 + Viewers.LEFT_NANOS;
        for (int i = 1; i < Viewers.MOST; i++) {
            assertTrue(viewers.admits("page" + i, later));
        }
        assertFalse(viewers.admits("late", later), "the first has not left yet");
        assertTrue(viewers.admits("late", later + 1));
        assertFalse(viewers.admits("page0", later + 1), "its place is taken");
    }

    @Test
    void aLongNameCountsByItsBeginning() {
        for (int i = 0; i < Viewers.MOST + 5; i++) {
            assertTrue(viewers.admits("x".repeat(10_000) + i, 1));
        }
    }
}
