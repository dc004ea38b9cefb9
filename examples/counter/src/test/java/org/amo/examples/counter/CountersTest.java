package org.amo.examples.counter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.amo.replication.service.EmbeddedGroup;
import org.amo.testkit.junit.AmoCluster;
import org.junit.jupiter.api.Test;

/** How a user tests a service: the whole group in the test's process. */
@AmoCluster(type = Counters.class, service = CountersInMemory.class)
final class CountersTest {

    @Test
    void countsOnThroughCrashesOfAMinority(Counters counters, EmbeddedGroup group) {
        assertEquals(1, counters.add("apples", 1));
        group.crash("a");
        assertEquals(3, counters.add("apples", 2));
        group.restart("a");
        group.crash("b");
        assertTrue(counters.move("apples", "pears", 2));
        assertFalse(counters.move("apples", "pears", 2));
        assertEquals(Map.of("apples", 1L, "pears", 2L), counters.all());
    }
}
