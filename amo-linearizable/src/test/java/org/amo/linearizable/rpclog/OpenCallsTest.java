package org.amo.linearizable.rpclog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The calls of one client that are not acknowledged, against a map. */
class OpenCallsTest {
    private final OpenCalls calls = new OpenCalls();

    @Test
    void anEmptySetHasNothing() {
        assertEquals(0, calls.size());
        assertEquals(0, calls.lone());
        assertEquals(0, calls.lowestUpTo(Long.MAX_VALUE));
        assertFalse(calls.hasRunning());
        assertFalse(calls.contains(1));
        assertFalse(calls.isCompleted(1));
        calls.remove(1);
        assertEquals(0, calls.size());
    }

    @Test
    void theLoneCallIsTheOnlyOneAndCompleted() {
        calls.put(4, false);
        assertEquals(0, calls.lone(), "it runs");
        assertTrue(calls.hasRunning());
        calls.put(4, true);
        assertEquals(4, calls.lone());
        assertFalse(calls.hasRunning());
        calls.put(3, true);
        assertEquals(0, calls.lone(), "there are two");
        assertFalse(calls.hasRunning());
    }

    @Test
    void theLowestIsFoundUpToABoundThatIsIncluded() {
        calls.put(6, true);
        calls.put(9, false);
        assertEquals(0, calls.lowestUpTo(5));
        assertEquals(6, calls.lowestUpTo(6));
        calls.remove(6);
        assertEquals(0, calls.lowestUpTo(8));
        assertEquals(9, calls.lowestUpTo(9));
    }

    @Test
    void anyOrderOfPutsAndRemovalsIsAMapsToo() {
        Random random = new Random(5);
        for (int run = 0; run < 50; run++) {
            OpenCalls many = new OpenCalls();
            TreeMap<Long, Boolean> model = new TreeMap<>();
            for (int step = 0; step < 100; step++) {
                long number = 1L + random.nextInt(20);
                if (random.nextInt(3) == 0) {
                    many.remove(number);
                    model.remove(number);
                } else {
                    boolean completed = random.nextBoolean();
                    many.put(number, completed);
                    model.put(number, completed);
                }
                assertEquals(model.size(), many.size());
                assertEquals(model.containsValue(false), many.hasRunning());
                for (long each = 1; each <= 20; each++) {
                    assertEquals(model.containsKey(each), many.contains(each));
                    assertEquals(model.getOrDefault(each, false), many.isCompleted(each));
                }
            }
        }
    }
}
