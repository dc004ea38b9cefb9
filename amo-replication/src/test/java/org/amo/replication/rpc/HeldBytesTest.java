package org.amo.replication.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import org.junit.jupiter.api.Test;

/** A shortage of the Java port's room begins at its limit and ends below it. */
final class HeldBytesTest {
    private static final long LIMIT = 8_000;

    private final ArrayDeque<Runnable> loop = new ArrayDeque<>();
    private int visits;
    private final HeldBytes held = new HeldBytes(LIMIT, loop::add, () -> visits++);

    /** A visit of ten thousand connections for each of them would take the port's only thread. */
    @Test
    void smallRequestsAtTheLimitVisitNoConnections() {
        held.add(LIMIT - 100);
        held.addEnded(LIMIT - 100);
        for (int flip = 0; flip < 10_000; flip++) {
            held.add(512);
            held.addEnded(512);
            assertTrue(held.isFull() && held.isFullOfEnded());
            held.add(-512);
            held.addEnded(-512);
            runAll();
        }
        assertEquals(0, visits);
        assertTrue(held.isFull() && held.isFullOfEnded(), "an eighth of the limit must be free again");
    }

    @Test
    void aCountIsFullFromTheLimitOnUntilAnEighthIsFree() {
        held.add(LIMIT - 1);
        assertFalse(held.isFull());
        held.add(1);
        assertTrue(held.isFull());
        assertFalse(held.isFullOfEnded());
        held.add(-1_000);
        assertTrue(held.isFull());
        held.add(-1);
        assertFalse(held.isFull());
        held.add(1_000);
        assertFalse(held.isFull(), "the limit is not reached again");
        runAll();
        assertEquals(1, visits);
    }

    @Test
    void connectionsAreVisitedOnceForBothCountsAndAgainAfterTheNextShortage() {
        for (int shortage = 1; shortage <= 3; shortage++) {
            held.add(LIMIT);
            held.addEnded(LIMIT);
            held.add(-LIMIT);
            held.addEnded(-LIMIT);
            held.add(LIMIT);
            held.add(-LIMIT);
            assertEquals(1, loop.size());
            runAll();
            assertEquals(shortage, visits);
        }
    }

    @Test
    void theCountOfEndedConnectionsIsItsOwn() {
        held.add(LIMIT);
        held.addEnded(LIMIT - 1);
        assertFalse(held.isFullOfEnded());
        held.addEnded(1);
        held.addEnded(-LIMIT);
        assertTrue(held.isFull());
        assertFalse(held.isFullOfEnded());
        runAll();
        assertEquals(1, visits);
    }

    private void runAll() {
        while (!loop.isEmpty()) {
            loop.remove().run();
        }
    }
}
