package org.amo.replication.order.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ReplayWindowTest {
    private final ReplayWindow window = new ReplayWindow();

    @Test
    void aNumberIsTakenOnce() {
        assertTrue(window.accept(1));
        assertFalse(window.accept(1));
        assertTrue(window.accept(3));
        assertTrue(window.accept(2));
        assertFalse(window.accept(2));
        assertFalse(window.accept(0));
        assertFalse(window.accept(-1));
    }

    @Test
    void aNumberBehindTheWindowIsRefusedThoughItNeverCame() {
        assertTrue(window.accept(ReplayWindow.SIZE + 10));
        assertTrue(window.accept(11));
        assertFalse(window.accept(10));
    }

    @Test
    void aLeapForgetsWhatOlderNumbersLeftInTheirPlaces() {
        assertTrue(window.accept(5));
        assertTrue(window.accept(5L + ReplayWindow.SIZE));
        assertTrue(window.accept(5L + 10L * ReplayWindow.SIZE));
        assertTrue(window.accept(6L + 9L * ReplayWindow.SIZE));
    }

    /** Against a set of all that came, with numbers that lie densely, leap, and come again. */
    @Test
    void itAgreesWithASetOfAllThatCame() {
        Random random = new Random(7);
        Set<Long> came = new HashSet<>();
        long highest = 0;
        for (int i = 0; i < 400_000; i++) {
            long back = random.nextInt(4) == 0 ? random.nextInt(2 * ReplayWindow.SIZE) : random.nextInt(200);
            long number = Math.max(1, highest + 100 + (random.nextInt(5_000) == 0 ? 3L * ReplayWindow.SIZE : 0) - back);
            boolean expected = number > highest - ReplayWindow.SIZE && came.add(number);
            assertEquals(expected, window.accept(number), "number " + number + " after " + highest);
            highest = Math.max(highest, number);
        }
    }
}
