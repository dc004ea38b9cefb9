package org.amo.base.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplayWindowTest {
    private static final int SIZE = 1 << 13;

    private final ReplayWindow window = new ReplayWindow(SIZE);

    @Test
    void aNumberIsTakenOnce() {
        assertEquals(-1, window.highest());
        assertTrue(window.accept(1));
        assertFalse(window.accept(1));
        assertTrue(window.accept(3));
        assertEquals(3, window.highest());
        assertTrue(window.accept(2));
        assertEquals(3, window.highest());
        assertFalse(window.accept(2));
        assertTrue(window.accept(0));
        assertFalse(window.accept(0));
        assertFalse(window.accept(-1));
    }

    @Test
    void aNumberBehindTheWindowIsRefusedThoughItNeverCame() {
        assertTrue(window.accept(SIZE + 10));
        assertTrue(window.accept(11));
        assertFalse(window.accept(10));
        assertFalse(window.accept(0));
    }

    @Test
    void aLeapForgetsWhatOlderNumbersLeftInTheirPlaces() {
        assertTrue(window.accept(5));
        assertTrue(window.accept(5L + SIZE));
        assertTrue(window.accept(5L + 10L * SIZE));
        assertTrue(window.accept(6L + 9L * SIZE));
    }

    @Test
    void theLastNumbersOfAll() {
        assertTrue(window.accept(Long.MAX_VALUE - 1));
        assertTrue(window.accept(Long.MAX_VALUE));
        assertTrue(window.accept(Long.MAX_VALUE - 2));
        assertFalse(window.accept(Long.MAX_VALUE));
        assertFalse(window.accept(Long.MAX_VALUE - SIZE));
    }

    @Test
    void anUnevenSizeIsRefused() {
        for (int size : new int[] {0, -64, 63, 100}) {
            assertThrows(IllegalArgumentException.class, () -> new ReplayWindow(size));
        }
    }

    /** Against a set of all that came, with numbers that lie densely, leap, and come again. */
    @ParameterizedTest
    @ValueSource(ints = {64, 192, SIZE})
    void itAgreesWithASetOfAllThatCame(int size) {
        ReplayWindow some = new ReplayWindow(size);
        Random random = new Random(7);
        Set<Long> came = new HashSet<>();
        long highest = 0;
        for (int i = 0; i < 200_000; i++) {
            long back = random.nextInt(4) == 0 ? random.nextInt(2 * size) : random.nextInt(200);
            long number = Math.max(0, highest + 100 + (random.nextInt(5_000) == 0 ? 3L * size : 0) - back);
            boolean expected = number > highest - size && !came.contains(number);
            assertEquals(expected, some.isNew(number), "number " + number + " after " + highest);
            assertEquals(expected, some.accept(number), "number " + number + " after " + highest);
            came.add(number);
            highest = Math.max(highest, number);
        }
    }
}
