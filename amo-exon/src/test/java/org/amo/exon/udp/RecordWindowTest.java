package org.amo.exon.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RecordWindowTest {
    @Test
    void eachNumberIsTakenOnceInAnyOrder() {
        Random random = new Random(3);
        RecordWindow window = new RecordWindow();
        Set<Long> taken = new HashSet<>();
        long highest = 0;
        for (int i = 0; i < 200_000; i++) {
            highest += random.nextInt(1_000) == 0 ? random.nextInt(3 * RecordWindow.SIZE) : random.nextInt(3);
            long number = Math.max(0, highest - random.nextInt(RecordWindow.SIZE));
            assertEquals(!taken.contains(number), window.isNew(number), "number " + number + " of " + highest);
            if (window.isNew(number)) {
                window.take(number);
                taken.add(number);
                highest = Math.max(highest, number);
            }
            // The model knows only what the window has seen.
            if (window.isNew(highest)) {
                window.take(highest);
                taken.add(highest);
            }
        }
    }

    @Test
    void whatIsTooOldCountsAsTaken() {
        RecordWindow window = new RecordWindow();
        assertTrue(window.isNew(0));
        assertTrue(window.take(RecordWindow.SIZE + 5));
        assertFalse(window.isNew(0), "so far behind that the window does not know");
        assertFalse(window.isNew(5));
        assertTrue(window.isNew(6));
        assertFalse(window.take(6), "not the highest");
        assertFalse(window.isNew(6));
        assertTrue(window.take(Long.MAX_VALUE - 1));
        assertTrue(window.isNew(Long.MAX_VALUE));
        assertTrue(window.isNew(Long.MAX_VALUE - 2));
    }
}
