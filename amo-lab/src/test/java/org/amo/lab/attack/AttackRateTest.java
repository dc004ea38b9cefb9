package org.amo.lab.attack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The bounds of an attack's loops. */
@Timeout(30)
class AttackRateTest {
    private static final long HOUR_MILLIS = 3_600_000;

    @Test
    void stepsAreBoundedInCountAndInRate() throws Exception {
        AttackRate pace = new AttackRate(HOUR_MILLIS);
        long begin = System.nanoTime();
        pace.each(21, 100, i -> {});
        assertEquals(21, pace.steps());
        assertTrue(System.nanoTime() - begin >= 200_000_000, "20 pauses of 10 ms");
        assertEquals(0, pace.refused());
    }

    @Test
    void whatAMemberRefusesIsCounted() throws Exception {
        AttackRate pace = new AttackRate(HOUR_MILLIS);
        pace.each(10, 10_000, i -> {
            if (i % 2 == 0) {
                throw new IOException("refused");
            }
        });
        assertEquals(10, pace.steps());
        assertEquals(5, pace.refused());
    }

    @Test
    void aCrewSharesTheBoundsAndEachIndexIsTakenOnce() throws Exception {
        AttackRate pace = new AttackRate(HOUR_MILLIS);
        Set<Integer> indexes = ConcurrentHashMap.newKeySet();
        pace.crew(3, 20, 100_000, i -> assertTrue(indexes.add(i)));
        assertEquals(20, pace.steps());
        assertEquals(20, indexes.size());
    }

    @Test
    void anEndedAttackTakesNoFurtherStep() throws Exception {
        AttackRate pace = new AttackRate(HOUR_MILLIS);
        pace.each(Integer.MAX_VALUE, 100_000, i -> {
            if (i == 4) {
                pace.end();
            }
        });
        assertEquals(5, pace.steps());
        assertFalse(pace.goesOn());
        // None of these waits for an hour.
        pace.hold();
        pace.hold(HOUR_MILLIS);
        pace.each(1, 1, i -> {});
        assertEquals(5, pace.steps());
    }

    @Test
    void anAttackIsOverWithItsTime() throws Exception {
        AttackRate pace = new AttackRate(50);
        pace.hold(HOUR_MILLIS);
        assertFalse(pace.goesOn());
    }
}
