package org.amo.core.sack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.BitSet;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Sets of numbers as floor and ranges, against a set of bits. */
final class SackTest {

    @Property(tries = 500)
    void aSetOfRangesHoldsWhatASetOfBitsHolds(@ForAll long seed) {
        Random random = new Random(seed);
        NumberRanges ranges = new NumberRanges();
        BitSet model = new BitSet();
        for (int i = 0; i < 60; i++) {
            int first = 1 + random.nextInt(120);
            int last = first + random.nextInt(random.nextInt(8) == 0 ? 40 : 3);
            ranges.add(first, last);
            model.set(first, last + 1);
            assertSameSet(model, ranges);
        }
    }

    @Property(tries = 300)
    void whatIsSentHoldsNothingElseAndInTurnEverything(@ForAll long seed) {
        Random random = new Random(seed);
        NumberRanges ranges = new NumberRanges();
        BitSet model = new BitSet();
        for (int i = 0; i < 40; i++) {
            int first = 1 + random.nextInt(200);
            ranges.add(first, first);
            model.set(first);
        }
        int limit = 1 + random.nextInt(12);
        BitSet heard = new BitSet();
        int start = 0;
        for (int message = 0; message <= ranges.rangeCount() / limit; message++) {
            FinishedNumbers part = ranges.toFinished(start, limit);
            assertTrue(part.rangeCount() <= limit);
            for (int number = 1; number < 260; number++) {
                if (part.contains(number)) {
                    int each = number;
                    assertTrue(model.get(number), () -> "not finished: " + each);
                    heard.set(number);
                }
            }
            start += part.rangeCount();
        }
        assertEquals(model, heard);
    }

    @Property(tries = 500)
    void oneSetContainsAllOfAnotherExactlyWhenEachNumberIsInIt(@ForAll long seed) {
        Random random = new Random(seed);
        FinishedNumbers one = randomSet(random);
        FinishedNumbers two = randomSet(random);
        boolean all = true;
        for (int number = 1; number < 60; number++) {
            all &= !two.contains(number) || one.contains(number);
        }
        assertEquals(all, one.containsAll(two), () -> one + " and " + two);
        assertTrue(one.containsAll(one));
        assertTrue(one.containsAll(FinishedNumbers.NONE));
    }

    @Test
    void numbersInARowAreOneFloor() {
        NumberRanges ranges = new NumberRanges();
        for (int number = 1; number <= 1_000; number++) {
            ranges.add(number, number);
        }
        assertEquals(1_000, ranges.floor());
        assertEquals(0, ranges.rangeCount());
    }

    @Test
    void fillingTheLowestGapRaisesTheFloorOverWhatFollows() {
        NumberRanges ranges = new NumberRanges();
        ranges.add(2, 5);
        ranges.add(7, 7);
        assertEquals(0, ranges.floor());
        ranges.add(1, 1);
        assertEquals(5, ranges.floor());
        ranges.add(6, 6);
        assertEquals(7, ranges.floor());
        assertEquals(0, ranges.rangeCount());
    }

    @Test
    void numbersBeginAtOne() {
        NumberRanges ranges = new NumberRanges();
        ranges.add(1, 3);
        assertTrue(ranges.contains(1));
        assertFalse(ranges.contains(0));
        assertFalse(ranges.contains(-1));
    }

    @Test
    void aRangeThatEndsBeforeItBeginsOrBeginsBeforeOneIsTheCallersMistake() {
        NumberRanges ranges = new NumberRanges();
        assertThrows(IllegalArgumentException.class, () -> ranges.add(0, 3));
        assertThrows(IllegalArgumentException.class, () -> ranges.add(5, 4));
    }

    @Test
    void finishedNumbersRefuseWhatIsNotOfTheirForm() {
        assertThrows(IllegalArgumentException.class, () -> FinishedNumbers.of(-1));
        assertThrows(IllegalArgumentException.class, () -> FinishedNumbers.of(0, 3));
        assertThrows(IllegalArgumentException.class, () -> FinishedNumbers.of(0, 4, 3));
        assertThrows(IllegalArgumentException.class, () -> FinishedNumbers.of(0, 1, 1), "1 belongs to the floor");
        assertThrows(IllegalArgumentException.class, () -> FinishedNumbers.of(5, 6, 7), "6 belongs to the floor");
        assertThrows(IllegalArgumentException.class, () -> FinishedNumbers.of(5, 4, 9));
        assertThrows(IllegalArgumentException.class, () -> FinishedNumbers.of(0, 3, 4, 5, 6), "3..6 is one range");
        assertThrows(IllegalArgumentException.class, () -> FinishedNumbers.of(0, 8, 9, 3, 4));
        assertThrows(
                IllegalArgumentException.class,
                () -> FinishedNumbers.of(0, new long[2 * FinishedNumbers.MAX_RANGES + 2]));
    }

    @Test
    void finishedNumbersHoldExactlyTheFloorAndTheRanges() {
        FinishedNumbers numbers = FinishedNumbers.of(2, 5, 7, 9, 9);
        StringBuilder held = new StringBuilder();
        for (int number = -1; number <= 12; number++) {
            if (numbers.contains(number)) {
                held.append(number).append(' ');
            }
        }
        assertEquals("1 2 5 6 7 9 ", held.toString());
        assertEquals("..2 5..7 9..9", numbers.toString());
    }

    @Test
    void finishedNumbersTellTheirFloorAndEachRange() {
        FinishedNumbers numbers = FinishedNumbers.of(2, 5, 7, 9, 9);
        assertEquals(2, numbers.floor());
        assertEquals(2, numbers.rangeCount());
        assertEquals(5, numbers.rangeFirst(0));
        assertEquals(7, numbers.rangeLast(0));
        assertEquals(9, numbers.rangeFirst(1));
        assertEquals(9, numbers.rangeLast(1));
    }

    @Test
    void oneMessageTakesTheMostRangesThatThereMayBe() {
        long[] bounds = new long[2 * FinishedNumbers.MAX_RANGES];
        for (int i = 0; i < bounds.length; i++) {
            bounds[i] = 2L + 2L * (i / 2);
        }
        assertEquals(FinishedNumbers.MAX_RANGES, FinishedNumbers.of(0, bounds).rangeCount());
    }

    @Test
    void finishedNumbersAreValuesAndCopyWhatTheyAreGiven() {
        long[] bounds = {5, 7};
        FinishedNumbers numbers = FinishedNumbers.of(2, bounds);
        bounds[1] = 99;
        assertEquals(FinishedNumbers.of(2, 5, 7), numbers);
        assertEquals(FinishedNumbers.of(2, 5, 7).hashCode(), numbers.hashCode());
        assertNotEquals(FinishedNumbers.of(2, 5, 8), numbers);
        assertNotEquals(FinishedNumbers.of(2, 5, 8).hashCode(), numbers.hashCode());
        assertNotEquals(FinishedNumbers.of(1, 5, 7).hashCode(), numbers.hashCode());
        assertSame(FinishedNumbers.NONE, FinishedNumbers.of(0));
        assertTrue(FinishedNumbers.NONE.isEmpty());
        assertFalse(numbers.isEmpty());
    }

    private static void assertSameSet(BitSet model, NumberRanges ranges) {
        int floor = model.nextClearBit(1) - 1;
        assertEquals(floor, ranges.floor());
        int runs = 0;
        for (int number = 1; number < 200; number++) {
            assertEquals(model.get(number), ranges.contains(number), "number " + number);
            if (number > floor && model.get(number) && !model.get(number - 1)) {
                runs++;
            }
        }
        assertEquals(runs, ranges.rangeCount());
    }

    private static FinishedNumbers randomSet(Random random) {
        NumberRanges ranges = new NumberRanges();
        for (int i = random.nextInt(12); i > 0; i--) {
            int first = 1 + random.nextInt(40);
            ranges.add(first, first + random.nextInt(4));
        }
        return ranges.toFinished(0, FinishedNumbers.MAX_RANGES);
    }
}
