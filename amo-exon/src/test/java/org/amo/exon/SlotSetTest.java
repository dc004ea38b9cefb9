package org.amo.exon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** A set of slots is a set of numbers, whatever ranges it keeps them in. */
class SlotSetTest {
    private final SlotSet slots = new SlotSet();

    @Test
    void neighbouringRangesAreOne() {
        slots.add(10, 20);
        slots.add(30, 40);
        slots.add(20, 30);
        assertArrayEquals(new long[] {10, 40}, slots.highestBelow(100, 9));
        slots.add(5, 5);
        slots.add(50, 49);
        assertEquals(30, slots.size(), "an empty range adds nothing");
        assertArrayEquals(new long[] {10, 40}, slots.highestBelow(100, 9));
    }

    @Test
    void aRangeHasItsFirstSlotAndNotItsEnd() {
        slots.add(10, 12);
        assertFalse(slots.contains(9));
        assertTrue(slots.contains(10));
        assertTrue(slots.contains(11));
        assertFalse(slots.contains(12));
        assertFalse(slots.remove(9));
        assertFalse(slots.remove(12));
        assertTrue(slots.remove(11));
        assertFalse(slots.remove(11));
        assertTrue(slots.remove(10));
        assertTrue(slots.isEmpty());
    }

    @Test
    void theFrontierCutsTheRangeThatItFallsInto() {
        slots.add(10, 20);
        slots.add(30, 40);
        slots.removeBelow(10);
        assertEquals(20, slots.size());
        slots.removeBelow(15);
        assertEquals(15, slots.size());
        assertFalse(slots.contains(14));
        assertTrue(slots.contains(15));
        slots.removeBelow(20);
        assertEquals(10, slots.size());
        slots.removeBelow(100);
        assertTrue(slots.isEmpty());
    }

    @Test
    void theHighestRangesComeFirstAndEndAtTheBound() {
        slots.add(10, 12);
        slots.add(20, 22);
        slots.add(30, 35);
        assertArrayEquals(new long[] {30, 33, 20, 22, 10, 12}, slots.highestBelow(33, 9));
        assertArrayEquals(new long[] {30, 33, 20, 22}, slots.highestBelow(33, 2));
        assertArrayEquals(new long[] {20, 22, 10, 12}, slots.highestBelow(30, 9), "the bound is not below itself");
        assertArrayEquals(new long[0], slots.highestBelow(10, 9));
    }

    @Test
    void anyMixtureIsASetsToo() {
        Random random = new Random(4);
        for (int run = 0; run < 200; run++) {
            SlotSet some = new SlotSet();
            TreeSet<Long> model = new TreeSet<>();
            long end = 0;
            for (int step = 0; step < 40; step++) {
                int what = random.nextInt(3);
                if (what == 0) {
                    long from = end + random.nextInt(3);
                    end = from + random.nextInt(5);
                    some.add(from, end);
                    for (long slot = from; slot < end; slot++) {
                        model.add(slot);
                    }
                } else if (what == 1) {
                    long slot = random.nextInt(60);
                    assertEquals(model.remove(slot), some.remove(slot));
                } else {
                    long frontier = random.nextInt((int) end + 2) / 2;
                    some.removeBelow(frontier);
                    model.headSet(frontier).clear();
                }
                assertEquals(model.size(), some.size());
                assertEquals(model.isEmpty(), some.isEmpty());
                for (long slot = 0; slot < 60; slot++) {
                    assertEquals(model.contains(slot), some.contains(slot));
                }
            }
        }
    }
}
