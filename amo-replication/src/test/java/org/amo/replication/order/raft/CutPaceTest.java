package org.amo.replication.order.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class CutPaceTest {
    private static final long MILLI = 1_000_000;

    private long now = Long.MAX_VALUE - 10 * MILLI;
    private long cost = 10 * MILLI;
    private int cuts;
    private final CutPace pace = new CutPace(() -> now);

    @Test
    void cutsTakeAThreeHundredthOfTheTime() {
        for (int i = 0; i < 30_000; i++) {
            pace.run(this::cut);
            now += MILLI;
        }
        assertEquals(10, cuts, "of 10 ms each in 30 s");
    }

    @Test
    void aCheapCutComesWithEachSnapshot() {
        cost = 1_000;
        for (int i = 0; i < 100; i++) {
            pace.run(this::cut);
            now += MILLI;
        }
        assertEquals(100, cuts);
    }

    @Test
    void theCostIsThatOfTheLastCut() {
        pace.run(this::cut);
        cost = MILLI;
        now += 3_000 * MILLI;
        pace.run(this::cut);
        assertEquals(2, cuts);
        now += 299 * MILLI;
        pace.run(this::cut);
        assertEquals(2, cuts);
        now += MILLI;
        pace.run(this::cut);
        assertEquals(3, cuts);
    }

    private void cut() {
        cuts++;
        now += cost;
    }
}
